// SPDX-License-Identifier: Apache-2.0
#include "reset/bridges.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "net/cidr.h"
#include "reset/places.h"

namespace reset {
namespace {

using Subnets = std::vector<std::string>;

constexpr std::string_view kCniDirectory = "/etc/cni/net.d";
constexpr std::string_view kLinks = "/sys/class/net";
constexpr std::string_view kDefaultBridge = "cni0";
// The file with flannel's subnet of this node: FLANNEL_SUBNET=10.244.1.1/24.
constexpr std::string_view kFlannelFile = "/run/flannel/subnet.env";

// Returns the subnets of the IPAM plugin host-local: `subnet`, and the subnets in `ranges`.
Subnets SubnetsOf(const json::Value& plugin) {
  Subnets subnets;
  const auto add = [&](const json::Value& place) {
    if (std::string subnet = json::TextAt(place, {"subnet"}); !subnet.empty()) {
      subnets.push_back(std::move(subnet));
    }
  };
  add(json::At(plugin, {"ipam"}));
  for (const json::Value& set : json::At(plugin, {"ipam", "ranges"})) {
    if (set.is_array()) {
      std::ranges::for_each(set, add);
    }
  }
  return subnets;
}

Subnets FlannelSubnets(const host::Files& files) {
  Subnets subnets;
  for (const std::string& line : base::Lines(files.Find(kFlannelFile).value_or(""))) {
    const std::size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    if (equals != std::string::npos &&
        (name == "FLANNEL_SUBNET" || name == "FLANNEL_IPV6_SUBNET")) {
      for (const std::string& subnet : base::Split(line.substr(equals + 1), ',')) {
        subnets.push_back(subnet);
      }
    }
  }
  return subnets;
}

// Maps each configured bridge to its subnets. If the configurations of two plugins name the same
// bridge, it has the subnets of both.
std::map<std::string, Subnets> Configured(const host::Files& files) {
  std::map<std::string, Subnets> bridges;
  for (const std::string& name : NamesIn(files, kCniDirectory)) {
    if (!name.ends_with(".conf") && !name.ends_with(".conflist") && !name.ends_with(".json")) {
      continue;
    }
    for (const CniBridge& bridge :
         BridgesIn(files.Find(fs::path(kCniDirectory) / name).value_or(""))) {
      std::ranges::copy(bridge.of_flannel ? FlannelSubnets(files) : bridge.subnets,
                        std::back_inserter(bridges[bridge.name]));
    }
  }
  return bridges;
}

bool LiesIn(const std::string& address, const Subnets& subnets) {
  const auto read = net::IpAddress::Parse(address);
  return read && std::ranges::any_of(subnets, [&](const std::string& subnet) {
           // An address never matches a malformed subnet.
           const auto network = net::Cidr::Parse(subnet);
           return network && network->Contains(*read);
         });
}

// Returns whether the address is an IPv6 link-local address, which the kernel assigns to each link.
bool IsOfTheLink(const std::string& address) {
  const auto read = net::IpAddress::Parse(address);
  return read && read->IsIpv6() && read->IsLinkLocalUnicast();
}

std::optional<std::string> WhyForeign(const host::Interface& link, const Subnets& subnets) {
  std::vector<std::string> addresses = link.addresses;
  std::erase_if(addresses, IsOfTheLink);
  if (addresses.empty()) {
    return "it has no address that shows its owner";
  }
  for (const std::string& address : addresses) {
    if (!LiesIn(address, subnets)) {
      return fmt::format("its address {} is not of a subnet of CNI's configuration", address);
    }
  }
  return std::nullopt;
}

// Returns how the bridge is used; std::nullopt if it is unused.
std::optional<std::string> WhatItCarries(host::Host& host, const std::string& name) {
  const fs::path place = fs::path(kLinks) / name;
  if (const auto ports = NamesIn(host.files, place / "brif"); !ports.empty()) {
    return fmt::format("its ports {} are in use", fmt::join(ports, ", "));
  }
  for (const std::string& entry : NamesIn(host.files, place)) {
    if (entry.starts_with("upper_")) {
      return fmt::format("link {} is built on it", entry.substr(entry.find('_') + 1));
    }
  }
  const auto routes = host.network.DefaultRoutes();
  if (std::ranges::find(routes, name, &host::DefaultRoute::interface) != routes.end()) {
    return "the default route leads over it";
  }
  return std::nullopt;
}

}  // namespace

std::vector<CniBridge> BridgesIn(std::string_view cni_config) {
  std::vector<CniBridge> bridges;
  json::Value config;
  try {
    config = json::Parse(std::string(cni_config));
  } catch (const base::Error&) {
    return bridges;  // partially written: it names no bridge for certain
  }
  const auto add = [&](const json::Value& plugin) {
    const std::string type = json::TextAt(plugin, {"type"});
    if (type == "flannel") {
      const std::string name = json::TextAt(plugin, {"delegate", "bridge"});
      bridges.push_back(
          {.name = name.empty() ? std::string(kDefaultBridge) : name, .of_flannel = true});
    }
    if (type == "bridge") {
      const std::string name = json::TextAt(plugin, {"bridge"});
      bridges.push_back({.name = name.empty() ? std::string(kDefaultBridge) : name,
                         .subnets = SubnetsOf(plugin)});
    }
  };
  add(config);
  for (const json::Value& plugin : json::At(config, {"plugins"})) {
    add(plugin);
  }
  return bridges;
}

std::vector<JudgedBridge> JudgeBridges(host::Host& host) {
  std::vector<JudgedBridge> judged;
  const std::vector<host::Interface> links = host.network.Interfaces();
  for (const auto& [name, subnets] : Configured(host.files)) {
    const auto link = std::ranges::find(links, name, &host::Interface::name);
    if (link == links.end()) {
      continue;
    }
    const auto why = host.files.Exists(fs::path(kLinks) / name / "bridge")
                         ? WhatItCarries(host, name)
                         : std::optional<std::string>("it is not a bridge");
    judged.push_back({.name = name, .why_kept = why ? why : WhyForeign(*link, subnets)});
  }
  return judged;
}

}  // namespace reset
