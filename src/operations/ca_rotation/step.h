// SPDX-License-Identifier: Apache-2.0
// One step of a rotation on one node.
#pragma once

#include <string>
#include <vector>

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// StepOutcome is what a step did.
struct StepOutcome {
  std::vector<std::string> restarted;  // components, "kubelet"
  std::string backup;                  // directory with what was replaced
};

// RestartsHere are the restarts of a step on this node: an API server that verifies kubelets reads
// their authority only once.
Restarts RestartsHere(const Node& node, const StepRow& row);

// RunStep does the step of this node and marks it; whatever of it a previous run has done is not
// done again. Throws base::Error, after it has put back what did not serve.
StepOutcome RunStep(const Node& node, const Record& record, Step step, const Options& options);

}  // namespace ca_rotation
