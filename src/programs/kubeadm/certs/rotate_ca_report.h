// What `certs rotate-ca` tells its user.
#pragma once

#include <string>
#include <vector>

#include "ca_rotation/step.h"
#include "json/value.h"

namespace kubeadm {

// RotationOutcome is what a run did.
struct RotationOutcome {
  ca_rotation::StepOutcome step;
  std::string certificate_key;  // with which the new pair was uploaded; "" when it was not
};

// Refusal is why nothing is done now, and what to do; "" when there is something to do or all is
// done.
std::string Refusal(const ca_rotation::Situation& situation, const ca_rotation::Decision& decision);

// StatusText shows each file with whom it trusts and who signed it, and what comes next and why.
std::string StatusText(const ca_rotation::Situation& situation,
                       const ca_rotation::Decision& decision);

// NextText is what to do after a step of this node; `behind` are the nodes that still have to do
// it.
std::string NextText(const ca_rotation::Situation& situation, ca_rotation::Step done,
                     const std::vector<std::string>& behind);

// ReportObject is an AuthorityRotation of output.slipway/v1alpha1. Without `outcome` nothing was
// done.
json::Ordered ReportObject(const ca_rotation::Situation& situation,
                           const ca_rotation::Decision& decision, const RotationOutcome* outcome);

}  // namespace kubeadm
