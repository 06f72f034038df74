// SPDX-License-Identifier: Apache-2.0
// Parsing of numbers.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace base {

// Parses a string that consists of a decimal number. Does not accept a plus sign, or a minus sign
// for unsigned types. Floating-point types accept a fraction and an exponent. Returns std::nullopt
// for any other string, and for a number out of the range of `T`.
template <typename T = int>
  requires std::integral<T> || std::floating_point<T>
std::optional<T> ParseNumber(std::string_view text) {
  T value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && at == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

// Parses a decimal number from 1 to 65535. Returns std::nullopt for any other string.
inline std::optional<int> ParsePort(std::string_view text) {
  const std::optional<int> port = ParseNumber(text);
  return port && *port >= 1 && *port <= 65535 ? port : std::nullopt;
}

}  // namespace base
