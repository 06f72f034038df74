// SPDX-License-Identifier: Apache-2.0
#include "age/bech32.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <vector>

#include "base/strings.h"

namespace age {
namespace {

constexpr std::string_view kAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kChecksumSize = 6;

using Groups = std::vector<std::uint8_t>;  // of five bits

std::uint32_t Polymod(const Groups& groups) {
  constexpr std::array<std::uint32_t, 5> kGenerator{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                                    0x2a1462b3};
  std::uint32_t sum = 1;
  for (const std::uint8_t group : groups) {
    const std::uint32_t top = sum >> 25U;
    sum = (sum & 0x1ffffffU) << 5U ^ group;
    for (unsigned i = 0; i < kGenerator.size(); ++i) {
      sum ^= (top >> i & 1U) != 0 ? kGenerator.at(i) : 0;
    }
  }
  return sum;
}

Groups ExpandPrefix(std::string_view prefix) {
  Groups groups;
  for (const char c : prefix) {
    groups.push_back(static_cast<std::uint8_t>(c) >> 5U);
  }
  groups.push_back(0);
  for (const char c : prefix) {
    groups.push_back(static_cast<std::uint8_t>(c) & 31U);
  }
  return groups;
}

// Converts groups to bytes. Returns std::nullopt if the last group has too many spare bits, or
// spare bits that are not zero.
std::optional<std::string> ToBytes(const Groups& groups) {
  std::string bytes;
  unsigned value = 0;
  unsigned bits = 0;
  for (const std::uint8_t group : groups) {
    value = (value << 5U | group) & 0xfffU;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(value >> bits & 0xffU);
    }
  }
  const bool exact = bits < 5 && (value & ((1U << bits) - 1)) == 0;
  return exact ? std::optional(bytes) : std::nullopt;
}

Groups ToGroups(std::string_view bytes) {
  Groups groups;
  unsigned value = 0;
  unsigned bits = 0;
  for (const char byte : bytes) {
    value = (value << 8U | static_cast<unsigned char>(byte)) & 0xfffU;
    for (bits += 8; bits >= 5; bits -= 5) {
      groups.push_back(value >> (bits - 5) & 31U);
    }
  }
  if (bits > 0) {
    groups.push_back(value << (5 - bits) & 31U);
  }
  return groups;
}

}  // namespace

std::optional<Bech32> DecodeBech32(std::string_view text) {
  const std::string lower = base::ToLower(text);
  const bool one_case =
      lower == text || std::ranges::none_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
  const std::size_t end = lower.rfind('1');
  if (!one_case || end == std::string::npos || end == 0 || lower.size() - end - 1 < kChecksumSize) {
    return std::nullopt;
  }
  Bech32 value{.prefix = lower.substr(0, end), .bytes = {}};
  if (std::ranges::any_of(value.prefix, [](char c) { return c < '!' || c > '~'; })) {
    return std::nullopt;
  }
  Groups groups;
  for (const char c : std::string_view(lower).substr(end + 1)) {
    const std::size_t at = kAlphabet.find(c);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    groups.push_back(static_cast<std::uint8_t>(at));
  }
  Groups checked = ExpandPrefix(value.prefix);
  checked.insert(checked.end(), groups.begin(), groups.end());
  groups.resize(groups.size() - kChecksumSize);
  const std::optional<std::string> bytes = ToBytes(groups);
  if (Polymod(checked) != 1 || !bytes) {
    return std::nullopt;
  }
  value.bytes = *bytes;
  return value;
}

std::string EncodeBech32(const Bech32& value) {
  const Groups groups = ToGroups(value.bytes);
  Groups checked = ExpandPrefix(value.prefix);
  checked.insert(checked.end(), groups.begin(), groups.end());
  checked.resize(checked.size() + kChecksumSize);
  const std::uint32_t sum = Polymod(checked) ^ 1U;
  std::string text = value.prefix + "1";
  for (const std::uint8_t group : groups) {
    text += kAlphabet[group];
  }
  for (unsigned i = 0; i < kChecksumSize; ++i) {
    text += kAlphabet[sum >> 5U * (5 - i) & 31U];
  }
  return text;
}

}  // namespace age
