// SPDX-License-Identifier: Apache-2.0
// Marking a node as part of the control plane (reference: phases.md §1.3).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace node_objects {

inline constexpr std::string_view kControlPlaneLabel = "node-role.kubernetes.io/control-plane";
inline constexpr std::string_view kExcludeFromLoadBalancersLabel =
    "node.kubernetes.io/exclude-from-external-load-balancers";
inline constexpr std::array kControlPlaneLabels = {kControlPlaneLabel,
                                                   kExcludeFromLoadBalancersLabel};

// Returns the taints of a configuration: its own, or the default one if it has none.
std::vector<config::Taint> ControlPlaneTaints(
    const std::optional<std::vector<config::Taint>>& configured);

// Sets the labels and `taints` on a Node object. Existing taints stay, after the new ones.
void MarkNode(json::Value& node, const std::vector<config::Taint>& taints);

// Does so in the cluster, as soon as the node has registered.
void MarkControlPlane(kube::Client& client, const std::string& node,
                      const std::vector<config::Taint>& taints);

}  // namespace node_objects
