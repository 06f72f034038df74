// SPDX-License-Identifier: Apache-2.0
// Reasons why the Pod ranges of a cluster's nodes prevent a change.
#pragma once

#include <optional>
#include <string>

#include "kube/client.h"

namespace config_change {

// Returns why the nodes' Pod ranges do not fit the networks ("10.244.0.0/16,fd00::/48");
// std::nullopt if they fit. The controller manager exits at its start if a node's first range is
// outside the first network, or its second range outside the second network. Without networks, the
// controller manager assigns no ranges, so every range fits.
std::optional<std::string> PodRangeProblem(const std::string& networks, kube::Client& client);

}  // namespace config_change
