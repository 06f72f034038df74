// SPDX-License-Identifier: Apache-2.0
#include "net/cidr.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"

namespace net {
namespace {

constexpr int kMappedBits = 96;

IpAddress WithoutHostBits(const IpAddress& address, int bits) {
  IpAddress::Bytes bytes = address.Mapped();
  for (int i = 0; std::uint8_t& byte : bytes) {
    byte &= static_cast<std::uint8_t>(0xFF00 >> std::clamp(bits - 8 * i++, 0, 8));
  }
  return IpAddress(bytes);
}

}  // namespace

Cidr::Cidr(const IpAddress& address, int bits)
    : network_(WithoutHostBits(address, bits)), bits_(bits) {}

std::optional<Cidr> Cidr::ParseWith(Reader reader, std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) {
    return std::nullopt;
  }
  const auto address = reader(text.substr(0, slash));
  const auto length = base::ParseNumber<unsigned>(text.substr(slash + 1));
  // The length counts the bits of the form in which the address is written.
  const bool ipv4 = !text.substr(0, slash).contains(':');
  if (!address || !length || *length > (ipv4 ? 32 : 128)) {
    return std::nullopt;
  }
  return Cidr(*address, static_cast<int>(*length) + (ipv4 ? kMappedBits : 0));
}

std::optional<Cidr> Cidr::Parse(std::string_view text) {
  return ParseWith(&IpAddress::Parse, text);
}

std::optional<Cidr> Cidr::ParseSloppy(std::string_view text) {
  return ParseWith(&IpAddress::ParseSloppy, text);
}

std::string Cidr::Text() const { return fmt::format("{}/{}", network_.Text(), PrefixLength()); }

bool Cidr::Contains(const IpAddress& address) const {
  return address.IsIpv4() == network_.IsIpv4() && WithoutHostBits(address, bits_) == network_;
}

bool Cidr::Overlaps(const Cidr& other) const {
  return Contains(other.network_) || other.Contains(network_);
}

std::optional<IpAddress> Cidr::Nth(std::uint32_t n) const {
  IpAddress::Bytes bytes = network_.Mapped();
  std::uint64_t carry = n;
  for (auto byte = bytes.rbegin(); byte != bytes.rend() && carry > 0; ++byte) {
    carry += *byte;
    *byte = static_cast<std::uint8_t>(carry & 0xFF);
    carry >>= 8;
  }
  const IpAddress address(bytes);
  return carry == 0 && Contains(address) ? std::optional(address) : std::nullopt;
}

}  // namespace net
