// SPDX-License-Identifier: Apache-2.0
// Network facts of a host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace host {

// Interface is one network interface with its addresses (without prefix length).
struct Interface {
  std::string name;
  bool up = false;
  bool loopback = false;
  std::vector<std::string> addresses;  // IPv4 and IPv6, in the kernel's order
};

// A default route, from /proc/net/route or /proc/net/ipv6_route.
struct DefaultRoute {
  std::string interface;
  bool ipv6 = false;
};

// The machine's network. Every function except PortProblem and Listens throws base::Error(kOther)
// if the kernel does not answer.
class Network {
 public:
  virtual ~Network() = default;
  virtual std::vector<Interface> Interfaces() const = 0;
  virtual std::vector<DefaultRoute> DefaultRoutes() const = 0;
  // Returns why a program cannot listen on TCP `port` at `address`; std::nullopt if it can.
  // `address` "" means all addresses of both families.
  virtual std::optional<std::string> PortProblem(const std::string& address,
                                                 std::uint16_t port) const = 0;
  // Returns whether a process listens at the Unix socket of that path (unix(7)).
  virtual bool Listens(const std::string& socket) const = 0;
  // Resolves a host name. Returns an empty list if the name exists and has no address. Throws
  // base::Error if the lookup fails (kNotFound for an unknown name).
  virtual std::vector<std::string> Resolve(const std::string& name) const = 0;
};

// RealNetwork uses getifaddrs(3), /proc/net, bind(2), connect(2) and getaddrinfo(3).
class RealNetwork : public Network {
 public:
  std::vector<Interface> Interfaces() const override;
  std::vector<DefaultRoute> DefaultRoutes() const override;
  std::optional<std::string> PortProblem(const std::string& address,
                                         std::uint16_t port) const override;
  bool Listens(const std::string& socket) const override;
  std::vector<std::string> Resolve(const std::string& name) const override;
};

}  // namespace host
