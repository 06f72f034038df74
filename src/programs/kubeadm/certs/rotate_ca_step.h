// One step of a rotation on one node.
#pragma once

#include <string>
#include <vector>

#include "kubeadm/certs/rotate_ca_node.h"

namespace kubeadm {

// StepOutcome is what a step did.
struct StepOutcome {
  std::vector<std::string> restarted;
  std::string backup;           // folder with what was replaced
  std::string certificate_key;  // with which the new pair was uploaded
};

// RunStep does the step of this node and marks it; whatever of it an earlier run has done is not
// done again. Throws base::Error, after it has put back what did not serve.
StepOutcome RunStep(const RotatingNode& node, const ca_rotation::Record& record,
                    ca_rotation::Step step, const Say& say);

}  // namespace kubeadm
