// SPDX-License-Identifier: Apache-2.0
// Networks: an address and the length of its common prefix (RFC 4632).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "net/ip_address.h"

namespace net {

// A network of IPv4 or of IPv6 addresses. Bits after the prefix are cleared. A network within
// ::ffff:0:0/96 counts as the IPv4 network that it embeds.
class Cidr {
 public:
  // Accepts the input of Go's net.ParseCIDR: "10.96.0.0/12", "fd00::/64".
  static std::optional<Cidr> Parse(std::string_view text);
  // Same as Parse, but reads the address with IpAddress::ParseSloppy.
  static std::optional<Cidr> ParseSloppy(std::string_view text);

  const IpAddress& network() const { return network_; }
  bool IsIpv6() const { return network_.IsIpv6(); }
  // AddressBits returns 32 or 128; PrefixLength returns 0 to AddressBits.
  int AddressBits() const { return IsIpv6() ? 128 : 32; }
  int PrefixLength() const { return bits_ - (128 - AddressBits()); }
  std::string Text() const;

  // Returns false for an address of the other family.
  bool Contains(const IpAddress& address) const;
  bool Overlaps(const Cidr& other) const;
  // Returns the n-th address, 0 for the network address; std::nullopt beyond the network's end.
  std::optional<IpAddress> Nth(std::uint32_t n) const;

  // Orders by the network address, then by the length of the prefix.
  std::strong_ordering operator<=>(const Cidr&) const = default;

 private:
  using Reader = std::optional<IpAddress> (*)(std::string_view text);
  static std::optional<Cidr> ParseWith(Reader reader, std::string_view text);
  Cidr(const IpAddress& address, int bits);

  IpAddress network_;
  int bits_;  // length of the prefix in the IPv6 form, 0 to 128
};

}  // namespace net
