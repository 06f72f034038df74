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

// A route to everywhere: /proc/net/route and /proc/net/ipv6_route.
struct DefaultRoute {
  std::string interface;
  bool ipv6 = false;
};

// The machine's network. All but PortProblem and Listens throw base::Error(kOther) if the kernel
// does not answer.
class Network {
 public:
  virtual ~Network() = default;
  virtual std::vector<Interface> Interfaces() const = 0;
  virtual std::vector<DefaultRoute> DefaultRoutes() const = 0;
  // Returns why TCP `port` cannot be listened on at `address`, or with "" at all addresses of both
  // families; std::nullopt if it can.
  virtual std::optional<std::string> PortProblem(const std::string& address,
                                                 std::uint16_t port) const = 0;
  // Returns whether a process listens at the Unix socket of that path (unix(7)).
  virtual bool Listens(const std::string& socket) const = 0;
  // Resolves a host name; returns an empty list if it has no address. Throws base::Error on a
  // failed lookup (kNotFound for an unknown name).
  virtual std::vector<std::string> Resolve(const std::string& name) const = 0;
};

// RealNetwork asks getifaddrs(3), /proc/net, bind(2), connect(2) and getaddrinfo(3).
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
