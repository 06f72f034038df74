// SPDX-License-Identifier: Apache-2.0
// "host:port" strings.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace net {

// A host and a port, unchecked: the host may be a name, an address or empty, the port any string.
struct HostPort {
  std::string host;  // without brackets
  std::string port;  // "" when none is given

  // Accepts the input of Go's net.SplitHostPort: "host:port", "[v6]:port", "host:", ":port". The
  // error gives the reason, without the input.
  static std::expected<HostPort, std::string> Parse(std::string_view text);

  // Like Parse, but also accepts a host without a port: a name or an address ("lb.example.org",
  // "10.0.0.1", "fd00::1"), as kubeadm reads controlPlaneEndpoint. An address in brackets needs a
  // port.
  static std::expected<HostPort, std::string> ParsePortOptional(std::string_view text);

  // Returns "host:port", with brackets around a host with colons (net.JoinHostPort).
  std::string Text() const;

  // Returns the port if it is a decimal number from 1 to 65535, or else std::nullopt.
  std::optional<std::uint16_t> PortNumber() const;

  bool operator==(const HostPort&) const = default;
};

// HostPort::Text for a numeric port.
std::string JoinHostPort(std::string_view host, int port);

}  // namespace net
