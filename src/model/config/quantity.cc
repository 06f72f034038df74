// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <utility>

#include "base/number.h"
#include "base/strings.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 10> kDecimal{"n", "u", "m", "",  "k",
                                                    "M", "G", "T", "P", "E"};
constexpr std::int64_t kFinest = -9;    // power of ten of the first suffix
constexpr std::int64_t kCoarsest = 18;  // power of ten of the last suffix
constexpr std::array<std::string_view, 7> kBinary{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

enum class Family { kDecimal, kExponent, kBinary };

// The factor of a suffix: a power of ten, or of 1024 in the binary family.
struct Suffix {
  Family family = Family::kDecimal;
  std::int64_t power = 0;
};

// A parsed quantity. `digits` has neither the point nor leading zeros. `fraction` is the number of
// digits after the point.
struct Spelled {
  bool negative = false;
  std::string digits;
  std::int64_t fraction = 0;
  Suffix suffix;
};

// Digits times a power of ten; the digits neither begin nor end with a zero.
struct Number {
  std::string digits;
  std::int64_t power = 0;
};

template <std::size_t kSize>
std::optional<std::int64_t> IndexOf(const std::array<std::string_view, kSize>& list,
                                    std::string_view text) {
  const auto found = std::ranges::find(list, text);
  return found == list.end() ? std::nullopt : std::optional<std::int64_t>(found - list.begin());
}

std::optional<Suffix> ReadExponent(std::string_view text) {
  if (!text.starts_with('e') && !text.starts_with('E')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  const auto power = base::ParseNumber<std::int64_t>(text);
  return power ? std::optional(Suffix{Family::kExponent, *power}) : std::nullopt;
}

std::optional<Suffix> ReadSuffix(std::string_view text) {
  if (const auto index = IndexOf(kDecimal, text)) {
    return Suffix{Family::kDecimal, kFinest + 3 * *index};
  }
  if (const auto index = IndexOf(kBinary, text)) {
    return Suffix{Family::kBinary, *index};
  }
  return ReadExponent(text);
}

std::optional<Spelled> TakeApart(std::string_view text) {
  Spelled spelled;
  if (text.starts_with('-') || text.starts_with('+')) {
    spelled.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view mantissa = text.substr(0, end);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto suffix = ReadSuffix(text.substr(end));
  if (!suffix || std::ranges::count(mantissa, '.') > 1) {
    return std::nullopt;
  }
  spelled.suffix = *suffix;
  spelled.digits = mantissa.substr(0, point);
  if (point < mantissa.size()) {
    spelled.digits += mantissa.substr(point + 1);
    spelled.fraction = static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
  spelled.digits.erase(0, spelled.digits.find_first_not_of('0'));
  return spelled;
}

// Multiplies decimal digits by a small number.
std::string Multiplied(std::string digits, unsigned factor) {
  unsigned carry = 0;
  for (char& digit : digits | std::views::reverse) {
    carry += static_cast<unsigned>(digit - '0') * factor;
    digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  return carry == 0 ? digits : std::to_string(carry) + digits;
}

Number Trimmed(std::string digits, std::int64_t power) {
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  const auto zeros = static_cast<std::int64_t>(digits.size() - kept);
  digits.resize(kept);
  return {std::move(digits), power + zeros};
}

// Returns the number, or the next multiple of a billionth away from zero.
Number Rounded(const Number& number) {
  if (number.power >= kFinest) {
    return number;
  }
  const auto size = static_cast<std::int64_t>(number.digits.size());
  const std::int64_t left = size - std::min(size, kFinest - number.power);
  std::string digits = number.digits.substr(0, static_cast<std::size_t>(left));
  const std::size_t last = digits.find_last_not_of('9');  // the digit to increment
  std::fill(digits.begin() + static_cast<std::ptrdiff_t>(last + 1), digits.end(), '0');
  if (last == std::string::npos) {
    digits.insert(0, 1, '1');
  } else {
    ++digits[last];
  }
  return Trimmed(std::move(digits), kFinest);
}

Number ValueOf(const Spelled& spelled) {
  if (spelled.suffix.family != Family::kBinary) {
    return Rounded(Trimmed(spelled.digits, spelled.suffix.power - spelled.fraction));
  }
  std::string digits = spelled.digits;
  for (std::int64_t i = 0; i < spelled.suffix.power; ++i) {
    digits = Multiplied(std::move(digits), 1024);
  }
  return Rounded(Trimmed(std::move(digits), -spelled.fraction));
}

// Writes the number with a suffix, or with an exponent, that is a multiple of three.
std::string DecimalText(const Number& number, bool exponent) {
  const std::int64_t over = ((number.power % 3) + 3) % 3;
  const std::int64_t power =
      exponent ? number.power - over : std::min(number.power - over, kCoarsest);
  const std::string digits =
      number.digits + std::string(static_cast<std::size_t>(number.power - power), '0');
  if (exponent) {
    return power == 0 ? digits : fmt::format("{}e{}", digits, power);
  }
  return fmt::format("{}{}", digits, kDecimal[static_cast<std::size_t>((power - kFinest) / 3)]);
}

// Writes the number with the largest binary suffix, if it is whole and not below 1024.
std::string BinaryText(const Number& number) {
  constexpr std::string_view kGreatest = "9223372036854775807";
  const std::int64_t places = static_cast<std::int64_t>(number.digits.size()) + number.power;
  if (places > static_cast<std::int64_t>(kGreatest.size())) {
    return std::string(kGreatest);
  }
  if (number.power < 0) {
    const bool beyond = places == static_cast<std::int64_t>(kGreatest.size()) &&
                        number.digits.substr(0, kGreatest.size()) >= kGreatest;
    return beyond ? std::string(kGreatest) : DecimalText(number, false);
  }
  auto value = base::ParseNumber<std::int64_t>(
                   number.digits + std::string(static_cast<std::size_t>(number.power), '0'))
                   .value_or(INT64_MAX);
  if (value < 1024) {
    return DecimalText(number, false);
  }
  std::size_t index = 0;
  while (value % 1024 == 0 && index + 1 < kBinary.size()) {
    value /= 1024;
    ++index;
  }
  return fmt::format("{}{}", value, kBinary[index]);
}

// Returns whether Kubernetes keeps the user's spelling of a quantity. With a decimal suffix or an
// exponent, the number must be short and have a digit before the point. Its digits without the
// point must also be a canonical number ("1.500"). With a binary suffix, the number must be a short
// whole number that is not a multiple of 8.
bool IsLeft(const Spelled& spelled) {
  constexpr std::size_t kMostDecimal = 18;
  constexpr std::size_t kMostBinary = 14;
  const std::string_view digits = spelled.digits;
  const auto [family, power] = spelled.suffix;
  if (family == Family::kBinary) {
    const auto value = base::ParseNumber<std::int64_t>(digits);
    return spelled.fraction == 0 && value && *value % 8 != 0 &&
           digits.size() + 3 * static_cast<std::size_t>(power) <= kMostBinary;
  }
  const std::int64_t lowest = power - spelled.fraction;
  return digits.size() <= kMostDecimal && std::cmp_greater(digits.size(), spelled.fraction) &&
         lowest >= kFinest && lowest % 3 == 0 && !digits.ends_with("000");
}

}  // namespace

std::optional<std::string> CanonicalQuantity(std::string_view text) {
  text = base::Trim(text);
  const auto spelled = text.empty() ? std::nullopt : TakeApart(text);
  if (!spelled) {
    return std::nullopt;
  }
  if (spelled->digits.empty()) {
    return "0";
  }
  constexpr std::size_t kMostDigits = 1000;  // more digits are an attempt to exhaust memory
  const bool endless =
      spelled->digits.size() > kMostDigits || !std::in_range<std::int32_t>(spelled->suffix.power);
  if (endless || IsLeft(*spelled)) {
    return std::string(text);
  }
  const Number value = ValueOf(*spelled);
  const std::string written = spelled->suffix.family == Family::kBinary
                                  ? BinaryText(value)
                                  : DecimalText(value, spelled->suffix.family == Family::kExponent);
  return (spelled->negative ? "-" : "") + written;
}

}  // namespace config
