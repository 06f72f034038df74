// SPDX-License-Identifier: Apache-2.0
// The networks of Pods, and the ranges of them that nodes have been given.
#pragma once

#include <optional>
#include <string>

#include "kube/client.h"

namespace config_change {

// PodRangeProblem is why the nodes' ranges do not fit the networks ("10.244.0.0/16,fd00::/48");
// nothing where they do. The controller manager gives up at its start when the first range of a
// node does not lie in the first network, or the second in the second. Networks that are empty hand
// out nothing, so that all fits them.
std::optional<std::string> PodRangeProblem(const std::string& networks, kube::Client& client);

}  // namespace config_change
