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
  bool of_flannel = false;           // true: the subnets are in kFlannelFile
  bool operator==(const CniBridge&) const = default;
};

// Returns the bridges of one configuration file; an empty list for an unreadable file.
std::vector<CniBridge> BridgesIn(std::string_view cni_config);

// A bridge of this machine that a CNI configuration names.
struct JudgedBridge {
  std::string name;
  // Why the bridge stays. std::nullopt if the bridge is provably the plugin's and unused.
  std::optional<std::string> why_kept;
};

// Judges each link that a configuration names. An unused bridge with at least one address belongs
// to the plugin if all its addresses are in the plugin's subnets. An unused bridge has no port, no
// link above it, and no default route. The caller has already removed the ports of Pods.
// ports of Pods.
// Pods.
std::vector<JudgedBridge> JudgeBridges(host::Host& host);

}  // namespace reset
