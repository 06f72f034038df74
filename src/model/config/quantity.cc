// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/number.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 10> kDecimal{"n", "u", "m", "",  "k",
                                                    "M", "G", "T", "P", "E"};
constexpr int kDecimalZero = 3;  // index of no suffix
constexpr std::array<std::string_view, 7> kBinary{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

// Number is a quantity taken apart: sign, digits without the point, how many stand behind it.
struct Number {
  bool negative = false;
  std::string digits;
  int fraction = 0;
  std::string_view suffix;
};

std::optional<Number> TakeApart(std::string_view text) {
  Number number;
  if (text.starts_with('-') || text.starts_with('+')) {
    number.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view mantissa = text.substr(0, end);
  const std::size_t point = mantissa.find('.');
  number.suffix = text.substr(end);
  number.digits = std::string(mantissa);
  if (point != std::string_view::npos) {
    number.fraction = static_cast<int>(mantissa.size() - point - 1);
    number.digits.erase(point, 1);
  }
  const bool one_point = number.digits.find('.') == std::string::npos;
  return !number.digits.empty() && one_point ? std::optional(number) : std::nullopt;
}

bool IsExponent(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) {
    return false;
  }
  suffix.remove_prefix(suffix[1] == '-' || suffix[1] == '+' ? 2 : 1);
  return !suffix.empty() && suffix.find_first_not_of("0123456789") == std::string_view::npos;
}

template <std::size_t kSize>
int IndexOf(const std::array<std::string_view, kSize>& list, std::string_view text) {
  const auto found = std::ranges::find(list, text);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

std::string Text(bool negative, std::int64_t value, std::string_view suffix) {
  return fmt::format("{}{}{}", negative && value != 0 ? "-" : "", value, suffix);
}

std::optional<std::string> Decimal(const Number& number, std::int64_t value, int index) {
  int power = 3 * (index - kDecimalZero) - number.fraction;
  while (value != 0 && value % 10 == 0) {
    value /= 10;
    ++power;
  }
  if (value == 0) {
    return "0";
  }
  constexpr int kLowest = -9;
  constexpr int kHighest = 18;
  constexpr std::int64_t kLimit = INT64_MAX / 10;
  while (power % 3 != 0 || power > kHighest) {
    if (value > kLimit) {
      return std::nullopt;
    }
    value *= 10;
    --power;
  }
  if (power < kLowest) {
    return std::nullopt;
  }
  const int suffix = power / 3 + kDecimalZero;
  return Text(number.negative, value, kDecimal[static_cast<std::size_t>(suffix)]);
}

std::optional<std::string> Binary(const Number& number, std::int64_t value, int index) {
  std::int64_t divisor = 1;
  for (int i = 0; i < number.fraction; ++i) {
    divisor *= 10;
  }
  constexpr std::int64_t kLimit = INT64_MAX / 1024;
  while (value % divisor != 0 && index > 0 && value <= kLimit) {
    value *= 1024;
    --index;
  }
  if (value % divisor != 0) {
    return std::nullopt;
  }
  value /= divisor;
  while (value != 0 && value % 1024 == 0 && index + 1 < static_cast<int>(kBinary.size())) {
    value /= 1024;
    ++index;
  }
  return Text(number.negative, value, value == 0 ? "" : kBinary[static_cast<std::size_t>(index)]);
}

}  // namespace

std::optional<std::string> CanonicalQuantity(std::string_view text) {
  const auto number = TakeApart(text);
  if (!number) {
    return std::nullopt;
  }
  const int decimal = IndexOf(kDecimal, number->suffix);
  const int binary = IndexOf(kBinary, number->suffix);
  if (decimal < 0 && binary < 0 && !IsExponent(number->suffix)) {
    return std::nullopt;
  }
  constexpr int kMostFraction = 17;
  const auto value = base::ParseNumber<std::int64_t>(number->digits);
  if (!value || number->fraction > kMostFraction || (decimal < 0 && binary < 0)) {
    return std::string(text);
  }
  const auto canonical =
      decimal >= 0 ? Decimal(*number, *value, decimal) : Binary(*number, *value, binary);
  return canonical ? canonical : std::string(text);
}

}  // namespace config
