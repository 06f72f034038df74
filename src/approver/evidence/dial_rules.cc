// SPDX-License-Identifier: Apache-2.0
#include "evidence/dial_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "judgement/name_rules.h"
#include "judgement/names.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "net/url.h"

namespace evidence {
namespace {

using judgement::Contains;
using judgement::ForbiddenAddress;
using judgement::Holds;
using judgement::Node;

// Cloud metadata services return credentials. These are the addresses of such services outside of
// the link-local networks: AWS and Google (IPv6), Alibaba, Azure, Oracle.
constexpr std::array<std::string_view, 5> kMetadata = {
    "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"};

judgement::Problem AddressProblem(const net::IpAddress& ip, const DialRules& rules) {
  if (ip.IsLoopback()) {
    return rules.loopback ? std::nullopt : judgement::Problem("it is a loopback address");
  }
  if (auto forbidden = ForbiddenAddress(ip)) {
    return forbidden;
  }
  if (std::ranges::contains(kMetadata, ip.Text())) {
    return "it is a cloud's metadata service";
  }
  const auto network =
      std::ranges::find_if(rules.networks, [&](const net::Cidr& cidr) { return Holds(cidr, ip); });
  if (network != rules.networks.end()) {
    return "it is in the network of Services " + network->Text();
  }
  return {};
}

}  // namespace

std::string ServerAddress(const std::string& url) {
  auto parsed = net::Url::Parse(url);
  if (!parsed) {
    return url;
  }
  if (const auto ip = net::IpAddress::Parse(parsed->host)) {
    parsed->host = ip->Text();
  }
  return parsed->Authority();
}

DialRules RulesFor(const std::vector<std::string>& server_urls) {
  DialRules rules;
  for (const std::string& url : server_urls) {
    const std::string host = net::Url::Parse(url).value_or(net::Url{}).host;
    const auto ip = net::IpAddress::Parse(host);
    rules.loopback = rules.loopback || host == "localhost" || (ip && ip->IsLoopback());
    rules.servers.push_back(ServerAddress(url));
  }
  return rules;
}

judgement::Problem DialProblem(const Node& node, const DialRules& rules) {
  const std::string written = InternalIpOf(node).value_or("");
  const auto ip = net::IpAddress::Parse(written);
  if (!ip) {
    return fmt::format("node {} has no internal IP address", node.name);
  }
  if (!node.kubelet_port) {
    return fmt::format("node {} does not say its kubelet's port", node.name);
  }
  if (rules.problem) {
    return rules.problem;
  }
  const bool server = Contains(rules.servers, net::JoinHostPort(ip->Text(), *node.kubelet_port));
  const judgement::Problem problem =
      server ? judgement::Problem("the API server is there") : AddressProblem(*ip, rules);
  if (!problem) {
    return {};
  }
  return fmt::format(
      "node {} says that its kubelet is at {} port {}, where no kubelet is dialled: {}", node.name,
      base::Quoted(written), *node.kubelet_port, *problem);
}

}  // namespace evidence
