// SPDX-License-Identifier: Apache-2.0
// Labels and taints of control-plane nodes (reference: phases.md §1.3).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace objects {

inline constexpr std::string_view kControlPlaneLabel = "node-role.kubernetes.io/control-plane";
inline constexpr std::string_view kExcludeFromLoadBalancersLabel =
    "node.kubernetes.io/exclude-from-external-load-balancers";
inline constexpr std::array kControlPlaneLabels = {kControlPlaneLabel,
                                                   kExcludeFromLoadBalancersLabel};

// Returns the configured taints, or the default taint if none are configured.
std::vector<config::Taint> ControlPlaneTaints(
    const std::optional<std::vector<config::Taint>>& configured);

// Sets the control-plane labels and `taints` on a Node object. Existing taints stay, and follow the
// new ones.
void MarkNode(json::Value& node, const std::vector<config::Taint>& taints);

// Waits until the node has registered, and then marks its Node in the cluster (MarkNode). Throws
// the errors of kube::Client.
void MarkControlPlane(kube::Client& client, const std::string& node,
                      const std::vector<config::Taint>& taints);

}  // namespace objects
