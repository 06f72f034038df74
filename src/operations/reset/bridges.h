// SPDX-License-Identifier: Apache-2.0
// Network bridges that CNI plugins left, and the judgement whether a bridge belongs to a plugin
// alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace reset {

// A bridge in a CNI network configuration (list).
struct CniBridge {
  std::string name;
  std::vector<std::string> subnets;  // "10.244.1.0/24", as configured
  bool of_flannel = false;           // whose subnets are in another file
  bool operator==(const CniBridge&) const = default;
};

// Returns the bridges of one configuration file; an empty list for an unreadable file.
std::vector<CniBridge> BridgesIn(std::string_view cni_config);

// A bridge of this machine that is named in a configuration.
struct JudgedBridge {
  std::string name;
  // std::nullopt if it is provably the plugin's and unused.
  std::optional<std::string> why_kept;
};

// Judges each link that a configuration names. It is the plugin's if it is a bridge, has an
// address, all its addresses are in the plugin's subnets, and it is unused. An unused bridge has no
// port, no link above it, and no default route. The ports of Pods are already removed at this time.
std::vector<JudgedBridge> JudgeBridges(host::Host& host);

}  // namespace reset
