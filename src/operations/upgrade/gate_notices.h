// SPDX-License-Identifier: Apache-2.0
// Notices about the feature gates in a cluster's configuration (reference: config-api.md §8).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace upgrade {

// Returns a sentence for each gate that is deprecated or unknown in the release of `cluster`, which
// is the target of the upgrade. Sorted by name.
std::vector<std::string> GateNotices(const config::ClusterConfiguration& cluster);

}  // namespace upgrade
