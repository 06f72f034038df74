// SPDX-License-Identifier: Apache-2.0
// One step of a rotation on one node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// The result of a step.
struct StepOutcome {
  std::vector<std::string> restarted;  // components, "kubelet"
  std::string backup;                  // directory with the replaced files
};

// Returns the restarts of a step on this node. Adds the API server if it verifies kubelets with the
// authority, because it reads the authority's file only when it starts.
Restarts RestartsHere(const Node& node, const StepRow& row);

// Applies the step on this node as an operation of the engine, and records it. Skips the parts that
// an interrupted run has completed. Throws base::Error(kOther) if components do not serve, after
// their files were restored.
StepOutcome RunStep(const Node& node, const RotationRecord& record, Step step,
                    const RotationOptions& options);

// Removes the journals of completed steps that interrupted runs have left. Keeps the journal of the
// step `except`.
void RemoveJournals(const Node& node, std::optional<Step> except);

}  // namespace ca_rotation
