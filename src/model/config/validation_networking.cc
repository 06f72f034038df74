// SPDX-License-Identifier: Apache-2.0
// The networks of Services and Pods.
#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "base/number.h"
#include "base/strings.h"
#include "config/validation.h"
#include "net/cidr.h"

namespace config {
namespace {

// The kube-dns Service has the tenth address of the first network.
constexpr unsigned kMinimumServiceAddresses = 10;
constexpr unsigned kMinimumPodAddresses = 14;
// The API server keeps a bitmap of all service addresses.
constexpr int kMaximumServiceHostBits = 20;
// The controller manager keeps a bitmap of all node networks.
constexpr int kMaximumNodeBits = 16;

constexpr std::string_view kServicePath = "networking.serviceSubnet";
constexpr std::string_view kPodPath = "networking.podSubnet";

// One network of a list, as written and as parsed.
struct Subnet {
  std::string text;
  net::Cidr cidr;
};

void Complain(std::string_view path, const std::string& value, const std::string& why,
              base::Problems& problems) {
  problems.Add(std::string(path), base::InvalidValue(base::Quoted(value), why));
}

bool HasAddresses(const Subnet& subnet, unsigned wanted) {
  const int host_bits = subnet.cidr.AddressBits() - subnet.cidr.PrefixLength();
  return host_bits >= 31 || (1U << host_bits) >= wanted;
}

// Parses a list of networks. If the list is malformed, adds a problem and returns an empty list.
std::vector<Subnet> ReadSubnets(std::string_view path, const std::string& list, unsigned minimum,
                                base::Problems& problems) {
  std::vector<Subnet> subnets;
  for (const std::string& text : base::Split(list, ',')) {
    const auto cidr = net::Cidr::ParseSloppy(text);
    if (!cidr) {
      Complain(path, list, "this is not a network: invalid CIDR address: " + text, problems);
      return {};
    }
    subnets.push_back({.text = text, .cidr = *cidr});
  }
  const bool dual = subnets.size() == 2 && subnets[0].cidr.IsIpv6() != subnets[1].cidr.IsIpv6();
  if (subnets.size() != 1 && !dual) {
    Complain(path, list, "expected one network, or two of which one is IPv4 and one IPv6",
             problems);
    return {};
  }
  const net::Cidr site_local = *net::Cidr::Parse("fec0::/10");
  for (const Subnet& subnet : subnets) {
    if (!HasAddresses(subnet, minimum)) {
      Complain(path, subnet.text,
               fmt::format("the network is too small, it needs at least {} addresses", minimum),
               problems);
      return {};
    }
    if (subnet.cidr.Overlaps(site_local)) {
      base::LogWarning("{}: {} is site-local (fec0::/10), which RFC 3879 deprecates", path,
                       subnet.text);
    }
  }
  return subnets;
}

void ValidateServiceSubnet(const std::string& list, base::Problems& problems) {
  for (const Subnet& subnet : ReadSubnets(kServicePath, list, kMinimumServiceAddresses, problems)) {
    const int least = subnet.cidr.AddressBits() - kMaximumServiceHostBits;
    if (subnet.cidr.PrefixLength() < least) {
      Complain(kServicePath, subnet.text,
               fmt::format("the network is too large; the mask of {}-bit addresses must be {} or "
                           "more",
                           subnet.cidr.AddressBits(), least),
               problems);
    }
  }
}

// Returns the prefix length of the network that the controller manager gives each node. Returns
// std::nullopt, and adds a problem, if the argument is not a number.
std::optional<int> NodeMask(const Args& args, const Subnet& subnet, base::Problems& problems) {
  const bool ipv6 = subnet.cidr.IsIpv6();
  const std::string name = ipv6 ? "node-cidr-mask-size-ipv6" : "node-cidr-mask-size-ipv4";
  const std::optional<std::string> given = FindArg(args, name);
  if (!given || given->empty()) {
    return ipv6 ? 64 : 24;
  }
  const std::string_view digits = std::string_view(*given).substr(given->starts_with('+') ? 1 : 0);
  const std::optional<int> mask = base::ParseNumber(digits);
  if (!mask) {
    Complain(kPodPath, subnet.text,
             fmt::format("the controller manager's argument {} is not a number: {}", name,
                         base::Quoted(*given)),
             problems);
  }
  return mask;
}

void ValidateNodeMask(const Args& args, const Subnet& subnet, base::Problems& problems) {
  const std::optional<int> mask = NodeMask(args, subnet, problems);
  if (!mask) {
    return;
  }
  const int prefix = subnet.cidr.PrefixLength();
  if (prefix > *mask) {
    Complain(
        kPodPath, subnet.cidr.Text(),
        fmt::format("with mask {} it is smaller than the network of one node, whose mask is {}",
                    prefix, *mask),
        problems);
  } else if (*mask - prefix > kMaximumNodeBits) {
    Complain(kPodPath, subnet.cidr.Text(),
             fmt::format("the mask ({}) and that of one node ({}) differ by more than {}", prefix,
                         *mask, kMaximumNodeBits),
             problems);
  }
}

void ValidatePodSubnet(const std::string& list, const Args& args, base::Problems& problems) {
  const auto subnets = ReadSubnets(kPodPath, list, kMinimumPodAddresses, problems);
  if (FindArg(args, "allocate-node-cidrs") == "false") {
    return;
  }
  for (const Subnet& subnet : subnets) {
    ValidateNodeMask(args, subnet, problems);
  }
}

}  // namespace

void ValidateNetworking(const ClusterConfiguration& cluster, base::Problems& problems) {
  const Networking& networking = cluster.networking;
  ValidateDnsName(networking.dns_domain, "networking.dnsDomain", problems);
  ValidateServiceSubnet(networking.service_subnet, problems);
  if (!networking.pod_subnet.empty()) {
    ValidatePodSubnet(networking.pod_subnet, cluster.controller_manager.extra_args, problems);
  }
}

}  // namespace config
