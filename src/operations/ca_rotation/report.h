// SPDX-License-Identifier: Apache-2.0
// The output of a rotation: its state, the next step, and instructions for other nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ca_rotation/authority.h"
#include "ca_rotation/step.h"
#include "json/fwd.h"

namespace ca_rotation {

// The result of a run.
struct Outcome {
  StepOutcome step;
  std::string certificate_key;  // of the uploaded key pair; "" without an upload
};

// The facts, the decision and the result of a run.
struct Report {
  Situation situation;
  Decision decision;
  std::optional<Outcome> outcome = {};  // std::nullopt: the run changed nothing
};

// Returns why the next step is not possible now, with the remedy. Returns std::nullopt if the next
// step is possible, or if all steps are complete.
std::optional<std::string> Refusal(const Situation& situation, const Decision& decision);

// Returns the instructions after a step of this node. `behind` are the nodes that have not
// completed the step.
std::string NextText(const Situation& situation, Step done, const std::vector<std::string>& behind);

// Returns the consequences for the excluded nodes, or "" if there are none.
std::string LeftBehindText(const Situation& situation);

// Formats each file with its trusted authorities and its signer, and the next step with the reason.
std::string TextOf(const Report& report);

// Returns an AuthorityRotation of output.slipway/v1alpha1.
json::Ordered ObjectOf(const Report& report);

}  // namespace ca_rotation
