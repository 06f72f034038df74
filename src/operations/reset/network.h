// SPDX-License-Identifier: Apache-2.0
// Rules and links of the network that kube-proxy, the kubelet and CNI plugins leave behind, and how
// to take back those that are provably theirs: chains and sets that begin with KUBE- or CNI-, the
// nftables tables of kube-proxy, virtual servers on kube-proxy's own link, that link, and bridges
// that a CNI configuration made (bridges.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace reset {

// CleanedRules turns the output of iptables-save into input for `iptables-restore --noflush` that
// removes those chains and every rule that jumps to one; "" when there are none.
std::string CleanedRules(std::string_view saved);

// CountRules is how many of those chains the output of iptables-save has.
std::size_t CountChains(std::string_view saved);

// KubeTables are kube-proxy's in the output of `nft list tables`: "ip kube-proxy".
std::vector<std::string> KubeTables(std::string_view listed);

// KubeSets are kube-proxy's in the output of `ipset list -name`.
std::vector<std::string> KubeSets(std::string_view listed);

// VirtualServersOf are those of the output of `ipvsadm -Sn` that listen on one of the addresses:
// {"-t", "10.96.0.1:443"}.
std::vector<std::vector<std::string>> VirtualServersOf(std::string_view saved,
                                                       const std::vector<std::string>& addresses);

// NetworkStep is one command that takes something back.
struct NetworkStep {
  std::string what;  // for the user: "3 chains of iptables"
  std::vector<std::string> argv;
  std::string input;
  bool operator==(const NetworkStep&) const = default;
};

// PlanNetworkCleanup asks the tools that there are and says what would be taken back, in order.
std::vector<NetworkStep> PlanNetworkCleanup(host::Host& host);

// CleanNetwork runs the steps; returns what failed and why. One failure stops no other step.
std::vector<std::string> CleanNetwork(host::Host& host, const std::vector<NetworkStep>& steps);

}  // namespace reset
