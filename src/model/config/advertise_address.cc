// SPDX-License-Identifier: Apache-2.0
#include "config/advertise_address.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "net/ip_address.h"

namespace config {
namespace {

base::Error Invalid(std::string message) {
  return base::Error(base::Error::Kind::kInvalid, std::move(message));
}

std::optional<std::string> GlobalAddressOf(const NetworkInterface& interface, bool ipv6) {
  if (!interface.up) {
    return std::nullopt;
  }
  for (const std::string& address : interface.addresses) {
    const auto read = net::IpAddress::Parse(address);
    if (read && read->IsIpv6() == ipv6 && read->IsGlobalUnicast()) {
      return address;
    }
  }
  return std::nullopt;
}

std::optional<std::string> LoopbackAddress(const NetworkFacts& facts, bool ipv6) {
  for (const NetworkInterface& interface : facts.interfaces) {
    if (!interface.loopback) {
      continue;
    }
    if (auto address = GlobalAddressOf(interface, ipv6)) {
      return address;
    }
  }
  return std::nullopt;
}

std::optional<std::string> RoutedAddress(const NetworkFacts& facts, const DefaultRoute& route) {
  const auto found = std::ranges::find(facts.interfaces, route.interface, &NetworkInterface::name);
  if (found == facts.interfaces.end() || !found->up) {
    return std::nullopt;
  }
  const auto own = GlobalAddressOf(*found, route.ipv6);
  return own ? own : LoopbackAddress(facts, route.ipv6);
}

std::string AddressOfDefaultRoute(const NetworkFacts& facts) {
  if (facts.default_routes.empty()) {
    base::LogWarning(
        "no address for the API server: there is no default route, neither IPv4 nor IPv6; using "
        "0.0.0.0");
    return "0.0.0.0";
  }
  for (const bool ipv6 : {false, true}) {
    for (const DefaultRoute& route : facts.default_routes) {
      const auto address =
          route.ipv6 == ipv6 ? RoutedAddress(facts, route) : std::optional<std::string>();
      if (address) {
        return *address;
      }
    }
  }
  throw Invalid("unable to select an IP from default routes: none leads to a global address");
}

}  // namespace

std::string ChooseAdvertiseAddress(const std::string& requested, const NetworkFacts& facts) {
  const auto address = net::IpAddress::ParseSloppy(requested);
  if (!requested.empty() && !address) {
    throw Invalid(fmt::format(
        "couldn't use \"{}\" as \"apiserver-advertise-address\", must be ipv4 or ipv6 address",
        requested));
  }
  if (!address || address->IsUnspecified()) {
    return AddressOfDefaultRoute(facts);
  }
  if (!address->IsLoopback()) {
    return address->Text();
  }
  for (const bool ipv6 : {false, true}) {
    if (auto own = LoopbackAddress(facts, ipv6)) {
      return *own;
    }
  }
  throw Invalid("unable to select an IP from lo network interface: it has no global address");
}

void CheckAdvertiseAddress(const std::string& address) {
  const auto read = net::IpAddress::ParseSloppy(address);
  if (!read || !read->IsGlobalUnicast()) {
    throw Invalid(fmt::format(
        "cannot use \"{}\" as the bind address for the API Server: give an address of this "
        "machine with --apiserver-advertise-address, or in "
        "localAPIEndpoint.advertiseAddress",
        address));
  }
}

}  // namespace config
