// SPDX-License-Identifier: Apache-2.0
// Numbers in texts.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace base {

// ParseNumber reads a text that is a decimal number from end to end, without a plus sign and, for
// unsigned types, without a minus; nothing for any other, and for one that `T` cannot hold. With a
// fraction and an exponent for floating-point types.
template <typename T = int>
  requires std::integral<T> || std::floating_point<T>
std::optional<T> ParseNumber(std::string_view text) {
  T value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && at == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

// ParsePort is a number from 1 to 65535.
inline std::optional<int> ParsePort(std::string_view text) {
  const std::optional<int> port = ParseNumber(text);
  return port && *port >= 1 && *port <= 65535 ? port : std::nullopt;
}

}  // namespace base
