// SPDX-License-Identifier: Apache-2.0
#include "net/host_port.h"

#include <fmt/core.h>

#include "base/number.h"
#include "net/ip_address.h"

namespace net {

std::expected<HostPort, std::string> HostPort::Parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) {
    return std::unexpected("missing port in address");
  }
  std::string_view host = text.substr(0, colon);
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) {
      return std::unexpected("missing ']' in address");
    }
    if (end + 1 != colon) {
      const bool colons = end + 1 < text.size() && text[end + 1] == ':';
      return std::unexpected(colons ? "too many colons in address" : "missing port in address");
    }
    host = host.substr(1, end - 1);
  } else if (host.contains(':')) {
    return std::unexpected("too many colons in address");
  }
  const std::string_view port = text.substr(colon + 1);
  for (const char bracket : {'[', ']'}) {
    if (host.contains(bracket) || port.contains(bracket)) {
      return std::unexpected(fmt::format("unexpected '{}' in address", bracket));
    }
  }
  return HostPort{.host = std::string(host), .port = std::string(port)};
}

std::expected<HostPort, std::string> HostPort::ParsePortOptional(std::string_view text) {
  if (IpAddress::ParseSloppy(text) || text.find_first_of(":[]") == text.npos) {
    return HostPort{.host = std::string(text), .port = ""};
  }
  return Parse(text);
}

std::string HostPort::Text() const {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::optional<std::uint16_t> HostPort::PortNumber() const {
  return base::ParsePort(port).transform(
      [](int number) { return static_cast<std::uint16_t>(number); });
}

std::string JoinHostPort(std::string_view host, int port) {
  return HostPort{.host = std::string(host), .port = std::to_string(port)}.Text();
}

}  // namespace net
