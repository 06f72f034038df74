// SPDX-License-Identifier: Apache-2.0
// Which address of a node its API server advertises (reference: config-api.md §3.1).
#pragma once

#include <string>
#include <vector>

namespace config {

// NetworkInterface and DefaultRoute are the facts of the host that decide.
struct NetworkInterface {
  std::string name;
  bool up = false;
  bool loopback = false;
  std::vector<std::string> addresses;  // without prefix length, in the kernel's order
};

// DefaultRoute is an interface that leads everywhere.
struct DefaultRoute {
  std::string interface;
  bool ipv6 = false;
};

// NetworkFacts are what the choice of an address depends on.
struct NetworkFacts {
  std::vector<NetworkInterface> interfaces;
  std::vector<DefaultRoute> default_routes;  // best first
};

// ChooseAdvertiseAddress keeps a requested address that names one host. "", 0.0.0.0 and :: ask for
// the address of the interface with the default route, IPv4 before IPv6; an interface without
// global addresses (an "unnumbered" link) lends one of the loopback interface. A loopback address
// asks for a global address of the loopback interface. Without any default route it warns and
// returns 0.0.0.0. Throws base::Error(kInvalid) for a text that is not an address, and when routes
// exist that lead to no address.
std::string ChooseAdvertiseAddress(const std::string& requested, const NetworkFacts& facts);

// CheckAdvertiseAddress throws base::Error(kInvalid) for an address that an API server cannot
// advertise: init and join refuse it, `config` commands do not.
void CheckAdvertiseAddress(const std::string& address);

}  // namespace config
