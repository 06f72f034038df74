#include "config/advertise_address.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "config/addresses.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 7> kNotGlobal{
    "0.0.0.0/32", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32",
    "::/127",  // unspecified and loopback
    "fe80::/10",
};

base::Error Invalid(std::string message) {
  return base::Error(base::Error::Kind::kInvalid, std::move(message));
}

bool IsLoopback(const std::string& address) {
  return ContainsAddress(ParseCidr("127.0.0.0/8"), address) ||
         ContainsAddress(ParseCidr("::1/128"), address);
}

std::optional<std::string> GlobalAddressOf(const NetworkInterface& interface, bool ipv6) {
  if (!interface.up) {
    return std::nullopt;
  }
  for (const std::string& address : interface.addresses) {
    if (IsIpv6(address) == ipv6 && IsGlobalUnicast(address)) {
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

bool IsGlobalUnicast(const std::string& address) {
  if (!IsIp(address) || ContainsAddress(ParseCidr("ff00::/8"), address)) {
    return false;
  }
  return std::ranges::none_of(
      kNotGlobal, [&](std::string_view cidr) { return ContainsAddress(ParseCidr(cidr), address); });
}

std::string ChooseAdvertiseAddress(const std::string& requested, const NetworkFacts& facts) {
  if (!requested.empty() && !IsIp(requested)) {
    throw Invalid(fmt::format(
        "couldn't use \"{}\" as \"apiserver-advertise-address\", must be ipv4 or ipv6 address",
        requested));
  }
  std::string canonical = CanonicalIp(requested);
  if (canonical.empty() || canonical == "0.0.0.0" || canonical == "::") {
    return AddressOfDefaultRoute(facts);
  }
  if (!IsLoopback(canonical)) {
    return canonical;
  }
  for (const bool ipv6 : {false, true}) {
    if (auto address = LoopbackAddress(facts, ipv6)) {
      return *address;
    }
  }
  throw Invalid("unable to select an IP from lo network interface: it has no global address");
}

void CheckAdvertiseAddress(const std::string& address) {
  if (!IsGlobalUnicast(address)) {
    throw Invalid(fmt::format("cannot use \"{}\" as the bind address for the API Server", address));
  }
}

}  // namespace config
