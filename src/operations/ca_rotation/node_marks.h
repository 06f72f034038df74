// SPDX-License-Identifier: Apache-2.0
// The progress of each node in a rotation, stored in an annotation of its own Node object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "kube/client.h"

namespace ca_rotation {

// Returns "rotate-ca.kubeadm.slipway/<authority>".
std::string MarkAnnotation(const Authority& authority);

// Returns the nodes whose progress counts: all, or those of the control plane for an authority that
// workers do not use. Marks of other rotations are ignored.
std::vector<NodeState> StatesOf(kube::Client& client, const Authority& authority,
                                std::string_view pin);
// StateOf is one node alone: all that a worker may see.
NodeState StateOf(kube::Client& client, const std::string& node, const Authority& authority,
                  std::string_view pin);
void SetMark(kube::Client& client, const std::string& node, const Authority& authority,
             const Mark& mark);

}  // namespace ca_rotation
