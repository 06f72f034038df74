// SPDX-License-Identifier: Apache-2.0
// The progress of each node in a rotation, stored in an annotation of its Node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "kube/client.h"

namespace ca_rotation {

// Returns "rotate-ca.kubeadm.slipway/<authority>".
std::string MarkAnnotation(const Authority& authority);

// Returns the progress of all nodes, or of the control-plane nodes if workers do not use the
// authority. Ignores the progress of other rotations.
std::vector<NodeState> StatesOf(kube::Client& client, const Authority& authority,
                                std::string_view pin);
// Returns the progress of one node. A worker may read only its own Node.
NodeState StateOf(kube::Client& client, const std::string& node, const Authority& authority,
                  std::string_view pin);
void SetMark(kube::Client& client, const std::string& node, const Authority& authority,
             const Mark& mark);

}  // namespace ca_rotation
