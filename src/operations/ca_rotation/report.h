// SPDX-License-Identifier: Apache-2.0
// What a rotation tells its user: where it is, what comes next, and what has to be done elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ca_rotation/authority.h"
#include "ca_rotation/step.h"
#include "json/fwd.h"

namespace ca_rotation {

// Outcome is what a run did.
struct Outcome {
  StepOutcome step;
  std::string certificate_key;  // with which the new pair was uploaded; "" when it was not
};

// Report is what a run found and did.
struct Report {
  Situation situation;
  Decision decision;
  std::optional<Outcome> outcome = {};  // nothing: it only looked
};

// Refusal is why nothing is done now, and what to do; nothing when there is something to do or all
// is done.
std::optional<std::string> Refusal(const Situation& situation, const Decision& decision);

// NextText is what to do after a step of this node; `behind` are the nodes that still have to do
// it.
std::string NextText(const Situation& situation, Step done, const std::vector<std::string>& behind);

// LeftBehindText tells what becomes of the nodes that are left behind; "" where none is.
std::string LeftBehindText(const Situation& situation);

// TextOf shows each file with whom it trusts and who signed it, and what comes next and why.
std::string TextOf(const Report& report);

// ObjectOf is an AuthorityRotation of output.slipway/v1alpha1.
json::Ordered ObjectOf(const Report& report);

}  // namespace ca_rotation
