// SPDX-License-Identifier: Apache-2.0
// Preconditions of a step's first write on a node of the control plane.
#pragma once

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// Requires the precondition. For kPodsTrust, waits until Pods get the new certificate, and restarts
// the Pods of kube-proxy and CoreDNS. The other preconditions are only checked. With
// RotationOptions::early, kNoOldTokens also restarts these Pods before the old token key is
// dropped, so that they get new tokens. Throws base::Error(kInvalid or kUnavailable) naming a
// condition that is false, and base::Error(kTimeout) if a wait does not end in time.
void Require(Precondition precondition, const Node& node, const RotationRecord& record,
             const RotationOptions& options);

}  // namespace ca_rotation
