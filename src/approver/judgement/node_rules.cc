// SPDX-License-Identifier: Apache-2.0
#include "judgement/node_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "base/strings.h"
#include "judgement/names.h"

namespace judgement {
namespace {

NodeStep Fails(Reason reason, std::string text) {
  return {.reason = reason, .text = std::move(text)};
}

// Matches the node's name. If the policy allows it, also matches a name below the node's name.
bool OwnName(const std::string& dns, const std::string& node, const Policy& policy) {
  return SameName(dns, node) ||
         (policy.node_subdomains && FoldedName(dns).starts_with(FoldedName(node) + "."));
}

std::vector<std::string> Texts(const std::vector<net::Cidr>& networks) {
  return networks | std::views::transform(&net::Cidr::Text) | std::ranges::to<std::vector>();
}

NodeStep JudgeOwnNames(const pki::RequestNames& names, const std::string& node,
                       const Policy& policy) {
  for (const std::string& dns : names.dns) {
    if (!OwnName(dns, node, policy)) {
      return Fails(Reason::kServingNameNotOwn,
                   fmt::format("DNS name {} is not the node's name {}{}", base::Quoted(dns),
                               base::Quoted(node), policy.node_subdomains ? " or below it" : ""));
    }
  }
  return {.holds = true};
}

// Returns whether a name or address of an API server covers the name. It may be a wildcard of the
// server's certificate, which matches one label.
bool IsEndpoint(const std::string& name, const std::string& endpoint) {
  if (endpoint.starts_with("*.")) {
    const std::size_t dot = name.find('.');
    return dot != std::string::npos && SameName(name.substr(dot + 1), endpoint.substr(2));
  }
  return SameName(name, endpoint) || SameIp(name, endpoint);
}

// Refuses names and addresses that the cluster reserves. A control-plane node may have the names
// and addresses of the API servers. It holds the CA's key, so refusing them would protect nothing.
NodeStep JudgeReserved(const pki::RequestNames& names, const Reserved& reserved,
                       bool control_plane) {
  for (const std::string& ip : names.ips) {
    if (IsIn(ip, reserved.cidrs)) {
      return Fails(Reason::kServingNameReserved,
                   fmt::format("address {} is in the network of Services or Pods", ip));
    }
  }
  if (control_plane) {
    return {.holds = true};
  }
  std::vector<std::string> all = names.dns;
  all.insert(all.end(), names.ips.begin(), names.ips.end());
  for (const std::string& name : all) {
    if (std::ranges::any_of(reserved.endpoints, [&](const std::string& endpoint) {
          return IsEndpoint(name, endpoint);
        })) {
      return Fails(
          Reason::kServingNameReserved,
          fmt::format("{} belongs to the API servers, and the node is not a control-plane node",
                      base::Quoted(name)));
    }
  }
  return {.holds = true};
}

// Refuses names and addresses of other nodes. An address that is bound to this node is allowed even
// if it is in another Node's status. Otherwise any node could block the certificates of all others.
NodeStep JudgeClaims(const Facts& facts, const NodeBinding& binding,
                     const std::vector<std::string>& unbound) {
  for (const Claim& claim : binding.others) {
    return Fails(Reason::kServingNameTaken,
                 fmt::format("address {} is bound to {}", claim.name, claim.by));
  }
  for (const Claim& claim : facts.claims) {
    const bool address = Contains((*facts.request)->names.ips, claim.name);
    if (!claim.by_node || !address || Contains(unbound, claim.name)) {
      return Fails(Reason::kServingNameTaken,
                   fmt::format("{} is also {}'s", base::Quoted(claim.name), claim.by));
    }
  }
  return {.holds = true};
}

NodeStep JudgeAddresses(const pki::RequestNames& names, const std::vector<net::Cidr>& allowed,
                        const NodeBinding& binding, const std::vector<std::string>& unbound) {
  for (const std::string& ip : names.ips) {
    if (!allowed.empty() && !IsIn(ip, allowed)) {
      return Fails(Reason::kServingAddressNotAllowed,
                   fmt::format("address {} is in none of the allowed networks {}", ip,
                               base::QuotedList(Texts(allowed))));
    }
  }
  if (!unbound.empty() && names.ips.size() > kMostBound) {
    return Fails(Reason::kServingTooManyAddresses,
                 fmt::format("{} addresses, of which at most {} are kept for a node",
                             names.ips.size(), kMostBound));
  }
  if (allowed.empty() && binding.addresses && !unbound.empty()) {
    return Fails(Reason::kServingAddressChanged,
                 fmt::format("address {} is not among those that the node had when it was first "
                             "approved with one, {}",
                             unbound.front(), base::QuotedList(*binding.addresses)));
  }
  return {.holds = true};
}

}  // namespace

std::vector<std::string> UnboundOf(const pki::Request& request, const NodeBinding& binding) {
  std::vector<std::string> unbound;
  for (const std::string& ip : request.names.ips) {
    if (!binding.addresses || !Contains(*binding.addresses, ip)) {
      unbound.push_back(ip);
    }
  }
  return unbound;
}

NodeStep ByNode(const Facts& facts, const Policy& policy) {
  const pki::Request& request = **facts.request;
  const std::string node = NodeNameOf(facts.csr->username).value_or("");
  if (NodeStep step = JudgeOwnNames(request.names, node, policy); !step.holds) {
    return step;
  }
  if (!facts.reserved || !facts.binding) {
    return {.want = facts.reserved ? Want::kBinding : Want::kReserved};
  }
  const Known<Reserved>& reserved = *facts.reserved;
  const Known<NodeBinding>& binding = *facts.binding;
  if (!reserved || !binding) {
    return Fails(Reason::kServingClusterUnknown, reserved ? binding.error() : reserved.error());
  }
  const std::vector<std::string> unbound = UnboundOf(request, *binding);
  for (NodeStep step : {JudgeReserved(request.names, *reserved, binding->control_plane),
                        JudgeClaims(facts, *binding, unbound),
                        JudgeAddresses(request.names, policy.node_cidrs, *binding, unbound)}) {
    if (!step.holds) {
      return step;
    }
  }
  return {.holds = true, .text = fmt::format("node {} has all the names", base::Quoted(node))};
}

}  // namespace judgement
