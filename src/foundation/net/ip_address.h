// SPDX-License-Identifier: Apache-2.0
// IP addresses as Go's parsers read and write them: configurations, certificates and objects of the
// cluster mean the same here as in the rest of Kubernetes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace net {

// An IPv4 or IPv6 address without a zone. An IPv4 address in IPv6 form (::ffff:10.0.0.1) counts as
// the IPv4 address: the two compare equal.
class IpAddress {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  // Accepts the input of Go's net.ParseIP. Returns std::nullopt for brackets, zones, and IPv4
  // addresses with leading zeros (some programs read 010.0.0.1 as octal).
  static std::optional<IpAddress> Parse(std::string_view text);

  // Like Parse, but ignores leading zeros in IPv4 addresses: 010.0.0.1 is 10.0.0.1. Old kubeadm
  // configurations may have such addresses (ParseIPSloppy of k8s.io/utils).
  static std::optional<IpAddress> ParseSloppy(std::string_view text);

  // Converts 4 or 16 bytes in network order, as in a certificate (RFC 5280 §4.2.1.6). Returns
  // std::nullopt for any other number of bytes.
  static std::optional<IpAddress> FromBytes(std::string_view bytes);

  // Takes an IPv4 address in its IPv6 form.
  explicit constexpr IpAddress(const Bytes& bytes) : bytes_(bytes) {}

  bool IsIpv4() const;
  bool IsIpv6() const { return !IsIpv4(); }

  // Returns the canonical form of RFC 5952, without a special form for IPv4-compatible addresses.
  std::string Text() const;
  // Returns the 4 bytes of an IPv4 or the 16 of an IPv6 address.
  std::string Octets() const;
  // Returns the IPv6 form: an IPv4 address is ::ffff:a.b.c.d in it.
  const Bytes& Mapped() const { return bytes_; }

  // Return whether the address is of a kind of RFC 6890, with Go's boundaries.
  bool IsUnspecified() const;       // 0.0.0.0, ::
  bool IsLoopback() const;          // 127.0.0.0/8, ::1
  bool IsMulticast() const;         // 224.0.0.0/4, ff00::/8
  bool IsLinkLocalUnicast() const;  // 169.254.0.0/16, fe80::/10
  bool IsBroadcast() const;         // 255.255.255.255
  bool IsPrivate() const;           // RFC 1918, RFC 4193
  // Returns true for all other addresses, including private ones.
  bool IsGlobalUnicast() const;

  // The order of Mapped(), without further meaning.
  std::strong_ordering operator<=>(const IpAddress&) const = default;

 private:
  Bytes bytes_;
};

}  // namespace net
