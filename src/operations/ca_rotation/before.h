// SPDX-License-Identifier: Apache-2.0
// What has to be so before a step writes anything on a node of the control plane.
#pragma once

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// Await makes sure of it. With `early` Pods are given new tokens first. Throws base::Error that
// tells what is not so, or did not become so in time.
void Await(Before before, const Node& node, const Record& record, const Wishes& wishes);

}  // namespace ca_rotation
