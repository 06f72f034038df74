// SPDX-License-Identifier: Apache-2.0
#include "certs/remaining.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/strings.h"

namespace certs {
namespace {

using std::chrono::hours;

constexpr hours kDay{24};
constexpr hours kLongest{24 * 36500};

[[noreturn]] void Refuse(std::string_view text) {
  throw base::Error(
      base::Error::Kind::kInvalid,
      fmt::format(
          "{} is not a length of time: write weeks, days, hours or minutes, as in 30d or 36h",
          base::Quoted(text)));
}

// Removes a number with this unit ("30d") from the front. Returns std::nullopt if `rest` begins
// otherwise.
std::optional<int> TakePart(std::string_view& rest, char unit) {
  int count = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  const auto length = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || count < 0 || rest.front() == '-' || length == rest.size() ||
      *end != unit) {
    return std::nullopt;
  }
  rest.remove_prefix(length + 1);
  return count;
}

}  // namespace

base::Duration ParseRemaining(std::string_view text) {
  std::string_view rest = text;
  hours whole{0};
  for (const auto& [unit, length] : {std::pair('w', 7 * kDay), std::pair('d', kDay)}) {
    if (const auto count = TakePart(rest, unit)) {
      whole += *count * length;
    }
    if (whole > kLongest || whole < hours(0)) {
      Refuse(text);
    }
  }
  base::Duration remaining = whole;
  if (!rest.empty() || rest.size() == text.size()) {
    try {
      remaining += base::ParseDuration(rest);
    } catch (const base::Error&) {
      Refuse(text);
    }
  }
  if (rest.starts_with('-') || remaining < base::Duration(0) || remaining > kLongest) {
    Refuse(text);
  }
  return remaining;
}

}  // namespace certs
