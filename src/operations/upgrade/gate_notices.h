// SPDX-License-Identifier: Apache-2.0
// Notices about the feature gates in a cluster's configuration (reference: config-api.md §8).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace upgrade {

// GateNotices is a sentence for each gate that is going or that the cluster's release, the one that
// it is brought to, does not know; by name.
std::vector<std::string> GateNotices(const config::ClusterConfiguration& cluster);

}  // namespace upgrade
