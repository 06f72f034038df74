// SPDX-License-Identifier: Apache-2.0
// Preconditions of a step's first write on a node of the control plane.
#pragma once

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// Establishes and checks the precondition. With `early` Pods are given new tokens first. Throws
// base::Error naming a condition that is false, or that did not become true in time.
void Require(Precondition precondition, const Node& node, const Record& record,
             const Options& options);

}  // namespace ca_rotation
