// SPDX-License-Identifier: Apache-2.0
// What has to be so before a step writes anything on a node of the control plane.
#pragma once

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// Require makes sure of it. With `early` Pods are given new tokens first. Throws base::Error that
// tells what is not so, or did not become so in time.
void Require(Precondition precondition, const Node& node, const Record& record,
             const Options& options);

}  // namespace ca_rotation
