// SPDX-License-Identifier: Apache-2.0
// The cluster's configuration as --print-config shows it.
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace upgrade {

// Returns a heading and the lines of the YAML, each after a tab.
std::vector<std::string> ConfigLines(const config::ClusterConfiguration& cluster);

}  // namespace upgrade
