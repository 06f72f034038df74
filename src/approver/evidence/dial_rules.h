// SPDX-License-Identifier: Apache-2.0
// Rules for the addresses at which a kubelet may be dialled. A node writes its own address and
// port. Without rules, it could make the approver connect anywhere, and read the answer in an
// Event.
#pragma once

#include <string>
#include <vector>

#include "evidence/decode.h"
#include "net/cidr.h"

namespace evidence {

// The rules of one cluster. Unspecified, broadcast, multicast and link-local addresses are always
// refused (ForbiddenAddress), and so are the addresses of clouds' metadata services.
struct DialRules {
  // Allows loopback addresses of kubelets. Set for `judge`, whose input the user controls, and if
  // an API server has a loopback address. In the second case the whole cluster is on this host.
  bool loopback = false;
  // The networks of Services. No node has an address in them.
  std::vector<net::Cidr> networks;
  // The addresses of the API servers, in the form of ServerAddress.
  std::vector<std::string> servers;
  // The reason why the networks are unknown. If it is set, no kubelet is dialled.
  judgement::Problem problem;
};

// Returns "IP:port" (canonical; IPv6 in brackets) of an API server's URL. Returns a host name or an
// invalid URL unchanged.
std::string ServerAddress(const std::string& url);

// Returns the rules for API servers at these URLs, without networks.
DialRules RulesFor(const std::vector<std::string>& server_urls);

// Returns why the node's kubelet must not be dialled; std::nullopt if it may be dialled. Judges the
// node's first InternalIP (InternalIpOf).
judgement::Problem DialProblem(const judgement::Node& node, const DialRules& rules);

}  // namespace evidence
