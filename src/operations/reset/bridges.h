// SPDX-License-Identifier: Apache-2.0
// Network bridges that CNI plugins leave behind, and whether one is theirs and nobody else's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace reset {

// CniBridge is what a CNI network configuration (list) says of a bridge that it makes.
struct CniBridge {
  std::string name;
  std::vector<std::string> subnets;  // "10.244.1.0/24", as configured
  bool of_flannel = false;           // whose subnets stand elsewhere
  bool operator==(const CniBridge&) const = default;
};

// BridgesIn are those of one configuration file; one that cannot be read has none.
std::vector<CniBridge> BridgesIn(std::string_view cni_config);

// JudgedBridge is a bridge of this machine that a configuration names.
struct JudgedBridge {
  std::string name;
  // Nothing when it is provably the plugin's and nothing hangs on it.
  std::optional<std::string> why_kept;
};

// JudgeBridges: a bridge is the plugin's when it is a bridge, has an address, all its addresses are
// of the subnets that the plugin gives out, and it carries nothing: no port (those of Pods went
// with them), no link above it, no default route.
std::vector<JudgedBridge> JudgeBridges(host::Host& host);

}  // namespace reset
