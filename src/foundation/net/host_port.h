// SPDX-License-Identifier: Apache-2.0
// "host:port" texts.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace net {

// HostPort is a host and a port, neither of them judged: the host may be a name, an address or
// nothing at all, the port any text.
struct HostPort {
  std::string host;  // without brackets
  std::string port;  // "" when none is given

  // Parse reads what Go's net.SplitHostPort reads: "host:port", "[v6]:port", "host:", ":port". The
  // error says what is wrong, without the text itself.
  static std::expected<HostPort, std::string> Parse(std::string_view text);

  // ParsePortOptional is Parse, and takes a name or an address alone for a host without a port
  // ("lb.example.org", "10.0.0.1", "fd00::1"), as kubeadm reads controlPlaneEndpoint. An address in
  // brackets needs a port.
  static std::expected<HostPort, std::string> ParsePortOptional(std::string_view text);

  // Text is "host:port", with brackets round a host that has colons (net.JoinHostPort).
  std::string Text() const;

  // PortNumber is the port when it is a decimal number from 1 to 65535.
  std::optional<std::uint16_t> PortNumber() const;

  bool operator==(const HostPort&) const = default;
};

// JoinHostPort is HostPort::Text for a port that is a number.
std::string JoinHostPort(std::string_view host, int port);

}  // namespace net
