// SPDX-License-Identifier: Apache-2.0
#include "upgrade/config_lines.h"

#include "base/strings.h"
#include "config/marshal.h"

namespace upgrade {

std::vector<std::string> ConfigLines(const config::ClusterConfiguration& cluster) {
  std::vector<std::string> lines{"[upgrade/config] The cluster's configuration:"};
  for (const std::string& line : base::Lines(config::Marshal(cluster))) {
    lines.push_back("\t" + line);
  }
  return lines;
}

}  // namespace upgrade
