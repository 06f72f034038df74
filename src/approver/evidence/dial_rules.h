// SPDX-License-Identifier: Apache-2.0
// Where no kubelet is dialled: a node writes its address and port itself, and could otherwise have
// the approver knock at any door that it reaches, and read in an Event what answered.
#pragma once

#include <string>
#include <vector>

#include "evidence/decode.h"
#include "net/cidr.h"

namespace evidence {

// DialRules are for one cluster. Unspecified, broadcast, multicast and link-local addresses (the
// cloud's metadata service among them) are refused whatever they say: ForbiddenAddress.
struct DialRules {
  // Kubelets of this machine count: for input that the user gave, and where the API server itself
  // is reached at a loopback address, so that the whole cluster is on this machine.
  bool loopback = false;
  std::vector<net::Cidr> networks;   // of Services: no node has an address in there
  std::vector<std::string> servers;  // of the API servers, as ServerAddress writes them
  judgement::Problem problem;        // why they are not known; then nobody is dialled
};

// ServerAddress is "IP:port" (canonical; IPv6 in brackets) of an API server's URL; the host as it
// stands there when it is a name, and a text that is not a URL as it is.
std::string ServerAddress(const std::string& url);

// RulesFor are the rules where API servers are reached at these URLs, before networks are known.
DialRules RulesFor(const std::vector<std::string>& server_urls);

// DialProblem is why the kubelet of the node is not dialled; nothing when it may be. Its first
// InternalIP counts (InternalIpOf).
judgement::Problem DialProblem(const judgement::Node& node, const DialRules& rules);

}  // namespace evidence
