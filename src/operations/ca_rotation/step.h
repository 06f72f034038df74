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

// Returns the restarts of a step on this node: an API server that verifies kubelets reads their
// authority only once.
Restarts RestartsHere(const Node& node, const StepRow& row);

// Does the step of this node as an operation of the engine, and records it; completed parts of an
// interrupted run are skipped. Throws base::Error, after it has restored the files of components
// that did not serve.
StepOutcome RunStep(const Node& node, const Record& record, Step step, const Options& options);

// Removes the journals of steps that are done, which an interrupted run may have left.
void RemoveJournals(const Node& node, std::optional<Step> except);

}  // namespace ca_rotation
