// SPDX-License-Identifier: Apache-2.0
// The address that a node's API server advertises (reference: config-api.md §3.1).
#pragma once

#include <string>
#include <vector>

namespace config {

// NetworkInterface and DefaultRoute are the host's relevant facts.
struct NetworkInterface {
  std::string name;
  bool up = false;
  bool loopback = false;
  std::vector<std::string> addresses;  // without prefix length, in the kernel's order
};

// An interface with a default route.
struct DefaultRoute {
  std::string interface;
  bool ipv6 = false;
};

// The facts from which an address is chosen.
struct NetworkFacts {
  std::vector<NetworkInterface> interfaces;
  std::vector<DefaultRoute> default_routes;  // best first
};

// Chooses the advertise address by `requested`. The address of a single host is returned unchanged.
// "", 0.0.0.0 and :: select the address of the interface with the default route, IPv4 before IPv6.
// If this interface has no global address (an "unnumbered" link), selects a global address of the
// loopback interface. A loopback address selects a global address of the loopback interface, too.
// If the node has no default route, warns and returns 0.0.0.0. Throws base::Error(kInvalid) for a
// malformed address, and if default routes exist but none leads to an address.
std::string ChooseAdvertiseAddress(const std::string& requested, const NetworkFacts& facts);

// Throws base::Error(kInvalid) for an address that an API server cannot advertise. Used by init and
// join, not by the `config` commands.
void CheckAdvertiseAddress(const std::string& address);

}  // namespace config
