// SPDX-License-Identifier: Apache-2.0
// Addresses at which no kubelet is dialled. A node writes its own address and port, and could
// otherwise make the approver connect anywhere, and read the answer in an Event.
#pragma once

#include <string>
#include <vector>

#include "evidence/decode.h"
#include "net/cidr.h"

namespace evidence {

// The rules of one cluster. Unspecified, broadcast, multicast and link-local addresses are always
// refused (ForbiddenAddress). The cloud's metadata service has a link-local address.
struct DialRules {
  // Allows loopback addresses of kubelets. It is set for the user's own input. It is also set if
  // the API server has a loopback address, because the whole cluster is then on this machine.
  bool loopback = false;
  std::vector<net::Cidr> networks;   // of Services: nodes have no addresses in these
  std::vector<std::string> servers;  // of the API servers, in the form of ServerAddress
  judgement::Problem problem;        // why the networks are unknown; no kubelet is dialled then
};

// Returns "IP:port" (canonical; IPv6 in brackets) of an API server's URL. Returns a host name or an
// invalid URL unchanged.
std::string ServerAddress(const std::string& url);

// Returns the rules for API servers at these URLs, before networks are known.
DialRules RulesFor(const std::vector<std::string>& server_urls);

// Returns why the node's kubelet must not be dialled; std::nullopt if it may be dialled. Judges the
// node's first InternalIP (InternalIpOf).
judgement::Problem DialProblem(const judgement::Node& node, const DialRules& rules);

}  // namespace evidence
