// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace base {
namespace {

using namespace std::chrono_literals;

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

// Longer names first, so that "ms" is not read as "m".
constexpr std::array kUnits = {Unit{"ns", 1},
                               Unit{"us", 1'000},
                               Unit{"\u00b5s", 1'000},
                               Unit{"\u03bcs", 1'000},
                               Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"m", 60'000'000'000},
                               Unit{"h", 3'600'000'000'000}};

constexpr std::uint64_t kMost = std::uint64_t{1} << 63;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Parses one part of a duration ("12.5h") and removes it from `rest`. Returns std::nullopt if the
// part is malformed or too big.
std::optional<std::uint64_t> TakePart(std::string_view& rest) {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  double scale = 1;
  bool any = false;
  for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1), any = true) {
    if (whole > kMost / 10) {
      return std::nullopt;
    }
    whole = whole * 10 + static_cast<std::uint64_t>(rest.front() - '0');
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1), any = true) {
      if (fraction <= (kMost - 1) / 10) {  // more digits do not change the result
        fraction = fraction * 10 + static_cast<std::uint64_t>(rest.front() - '0');
        scale *= 10;
      }
    }
  }
  for (const Unit& unit : kUnits) {
    if (any && rest.starts_with(unit.name)) {
      rest.remove_prefix(unit.name.size());
      if (whole > kMost / unit.nanoseconds) {
        return std::nullopt;
      }
      // Fractions of a nanosecond are truncated.
      const double part =
          static_cast<double>(fraction) * (static_cast<double>(unit.nanoseconds) / scale);
      return whole * unit.nanoseconds + static_cast<std::uint64_t>(part);
    }
  }
  return std::nullopt;
}

// Formats `value` / `one` as a decimal without trailing zeros: 1500 / 1000 gives "1.5".
std::string Decimal(std::uint64_t value, std::uint64_t one) {
  std::string out = fmt::format("{}", value / one);
  if (const std::uint64_t fraction = value % one; fraction != 0) {
    std::string digits = fmt::format("{}", one + fraction).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += "." + digits;
  }
  return out;
}

}  // namespace

Duration ParseDuration(std::string_view text) {
  const auto bad = [&] {
    return Error(
        Error::Kind::kInvalid,
        fmt::format("invalid duration {}: give numbers with units, such as 90s, 10m or 1h30m",
                    Quoted(text)));
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return Duration{0};
  }
  if (rest.empty()) {
    throw bad();
  }
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const auto part = TakePart(rest);
    if (!part || *part > kMost - total) {
      throw bad();
    }
    total += *part;
  }
  if (total == kMost && !negative) {
    throw bad();
  }
  return Duration{static_cast<std::int64_t>(negative ? ~total + 1 : total)};
}

std::string FormatDuration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) {
    return "0s";
  }
  const std::string sign = count < 0 ? "-" : "";
  const auto value =
      count < 0 ? ~static_cast<std::uint64_t>(count) + 1 : static_cast<std::uint64_t>(count);
  if (value < 1'000) {
    return sign + fmt::format("{}ns", value);
  }
  if (value < 1'000'000) {
    return sign + Decimal(value, 1'000) + "\u00b5s";
  }
  if (value < 1'000'000'000) {
    return sign + Decimal(value, 1'000'000) + "ms";
  }
  const std::uint64_t seconds = value / 1'000'000'000;
  const std::string last = Decimal(value % 60'000'000'000, 1'000'000'000) + "s";
  if (seconds < 60) {
    return sign + last;
  }
  const std::uint64_t minutes = seconds / 60;
  if (minutes < 60) {
    return sign + fmt::format("{}m{}", minutes, last);
  }
  return sign + fmt::format("{}h{}m{}", minutes / 60, minutes % 60, last);
}

std::string HumanDuration(Duration duration) {
  const std::int64_t s = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (s < -1) {
    return "<invalid>";
  }
  if (s < 0) {
    return "0s";
  }
  const auto pair = [](std::int64_t big, char unit, std::int64_t small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", big, unit)
                      : fmt::format("{}{}{}{}", big, unit, small, small_unit);
  };
  constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400, kYear = 365 * kDay;
  if (s < 2 * kMinute) {
    return fmt::format("{}s", s);
  }
  if (s < 10 * kMinute) {
    return pair(s / kMinute, 'm', s % kMinute, 's');
  }
  if (s < 3 * kHour) {
    return fmt::format("{}m", s / kMinute);
  }
  if (s < 8 * kHour) {
    return pair(s / kHour, 'h', s % kHour / kMinute, 'm');
  }
  if (s < 2 * kDay) {
    return fmt::format("{}h", s / kHour);
  }
  if (s < 8 * kDay) {
    return pair(s / kDay, 'd', s % kDay / kHour, 'h');
  }
  if (s < 2 * kYear) {
    return fmt::format("{}d", s / kDay);
  }
  if (s < 8 * kYear) {
    return pair(s / kYear, 'y', s % kYear / kDay, 'd');
  }
  return fmt::format("{}y", s / kYear);
}

std::string ShortHumanDuration(std::chrono::seconds duration) {
  const std::int64_t s = duration.count();
  if (s < -1) {
    return "<invalid>";
  }
  struct Unit {
    std::int64_t seconds;
    char name;
  };
  for (const Unit unit :
       {Unit{std::int64_t{365} * 86400, 'y'}, {86400, 'd'}, {3600, 'h'}, {60, 'm'}}) {
    if (s >= unit.seconds) {
      return fmt::format("{}{}", s / unit.seconds, unit.name);
    }
  }
  return fmt::format("{}s", std::max<std::int64_t>(s, 0));
}

}  // namespace base
