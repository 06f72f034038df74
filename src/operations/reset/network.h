// SPDX-License-Identifier: Apache-2.0
// Rules and links of the network that kube-proxy, the kubelet and CNI plugins have left. Only
// objects that provably belong to one of these programs are removed: chains and sets whose names
// begin with KUBE- or CNI-; kube-proxy's nftables tables, link and virtual servers; and bridges
// that a CNI configuration has created (bridges.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace reset {

// Converts the output of iptables-save into input for `iptables-restore --noflush`. This input
// removes the chains of Kubernetes and CNI, and every rule that jumps to such a chain. Returns ""
// if the output of iptables-save contains no such chain.
std::string CleanedRules(std::string_view saved);

// Returns the number of chains of Kubernetes and CNI in the output of iptables-save.
std::size_t CountChains(std::string_view saved);

// Returns kube-proxy's tables in the output of `nft list tables`: "ip kube-proxy".
std::vector<std::string> KubeTables(std::string_view listed);

// Returns kube-proxy's sets in the output of `ipset list -name`.
std::vector<std::string> KubeSets(std::string_view listed);

// Returns the virtual servers in the output of `ipvsadm -Sn` that listen on one of the addresses:
// {"-t", "10.96.0.1:443"}.
std::vector<std::vector<std::string>> VirtualServersOf(std::string_view saved,
                                                       const std::vector<std::string>& addresses);

// One command that removes objects.
struct NetworkStep {
  std::string what;  // for the user: "3 chains of iptables"
  std::vector<std::string> argv;
  std::string input;
  bool operator==(const NetworkStep&) const = default;
};

// Runs the installed tools and returns the objects to remove, in order.
std::vector<NetworkStep> PlanNetworkCleanup(host::Host& host);

// Runs the steps, and continues after a failed step. Returns the failures with their reasons.
std::vector<std::string> CleanNetwork(host::Host& host, const std::vector<NetworkStep>& steps);

}  // namespace reset
