// SPDX-License-Identifier: Apache-2.0
// Preconditions of a step's first write on a node of the control plane.
#pragma once

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// Establishes the precondition and waits until it is true. With `early`, the Pods of kube-proxy and
// CoreDNS are also restarted before the drop of an old token key, so that they get new tokens.
// Throws base::Error(kInvalid or kUnavailable) naming a condition that is false. Throws
// base::Error(kTimeout) if a condition does not become true in time.
void Require(Precondition precondition, const Node& node, const RotationRecord& record,
             const RotationOptions& options);

}  // namespace ca_rotation
