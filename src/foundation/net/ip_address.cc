// SPDX-License-Identifier: Apache-2.0
#include "net/ip_address.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <ranges>

namespace net {
namespace {

constexpr IpAddress::Bytes kIpv4Zero{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0};
constexpr std::size_t kIpv4At = 12;

// Removes leading zeros from each group between dots and colons, except the last digit.
std::string WithoutLeadingZeros(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = out.empty() || out.back() == '.' || out.back() == ':';
    const bool more =
        i + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (!(begins && more && text[i] == '0')) {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> copy{};
  if (text.size() >= copy.size() || text.contains('\0')) {
    return std::nullopt;
  }
  std::ranges::copy(text, copy.begin());
  IpAddress address(kIpv4Zero);
  if (inet_pton(AF_INET, copy.data(), &address.bytes_[kIpv4At]) == 1 ||
      inet_pton(AF_INET6, copy.data(), address.bytes_.data()) == 1) {
    return address;
  }
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::ParseSloppy(std::string_view text) {
  return Parse(WithoutLeadingZeros(text));
}

std::optional<IpAddress> IpAddress::FromBytes(std::string_view bytes) {
  IpAddress address(kIpv4Zero);
  if (bytes.size() != 4 && bytes.size() != address.bytes_.size()) {
    return std::nullopt;
  }
  std::ranges::copy(bytes, address.bytes_.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  return address;
}

bool IpAddress::IsIpv4() const {
  return std::ranges::equal(bytes_ | std::views::take(kIpv4At),
                            kIpv4Zero | std::views::take(kIpv4At));
}

std::string IpAddress::Text() const {
  const auto word = [&](std::size_t at) { return bytes_[at] << 8 | bytes_[at + 1]; };
  // inet_ntop writes ::a.b.c.d, which is deprecated (RFC 4291 §2.5.5.1).
  if (std::ranges::all_of(bytes_ | std::views::take(kIpv4At),
                          [](auto byte) { return byte == 0; }) &&
      word(kIpv4At) != 0) {
    return fmt::format("::{:x}:{:x}", word(kIpv4At), word(kIpv4At + 2));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IsIpv4()) {
    inet_ntop(AF_INET, &bytes_[kIpv4At], text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, bytes_.data(), text.data(), text.size());
  }
  return text.data();
}

std::string IpAddress::Octets() const {
  return {bytes_.begin() + (IsIpv4() ? kIpv4At : 0), bytes_.end()};
}

bool IpAddress::IsUnspecified() const { return bytes_ == kIpv4Zero || bytes_ == Bytes{}; }

bool IpAddress::IsLoopback() const {
  constexpr Bytes kOne{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return IsIpv4() ? bytes_[kIpv4At] == 127 : bytes_ == kOne;
}

bool IpAddress::IsMulticast() const {
  return IsIpv4() ? (bytes_[kIpv4At] & 0xF0) == 0xE0 : bytes_[0] == 0xFF;
}

bool IpAddress::IsLinkLocalUnicast() const {
  return IsIpv4() ? bytes_[kIpv4At] == 169 && bytes_[kIpv4At + 1] == 254
                  : bytes_[0] == 0xFE && (bytes_[1] & 0xC0) == 0x80;
}

bool IpAddress::IsBroadcast() const {
  return IsIpv4() && std::ranges::all_of(bytes_ | std::views::drop(kIpv4At),
                                         [](auto byte) { return byte == 0xFF; });
}

bool IpAddress::IsPrivate() const {
  const std::uint8_t first = bytes_[kIpv4At];
  const std::uint8_t second = bytes_[kIpv4At + 1];
  return IsIpv4() ? first == 10 || (first == 172 && (second & 0xF0) == 16) ||
                        (first == 192 && second == 168)
                  : (bytes_[0] & 0xFE) == 0xFC;
}

bool IpAddress::IsGlobalUnicast() const {
  return !IsUnspecified() && !IsLoopback() && !IsMulticast() && !IsLinkLocalUnicast() &&
         !IsBroadcast();
}

}  // namespace net
