// SPDX-License-Identifier: Apache-2.0
#include "json/number.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace json {
namespace {

// A value as 0.d1d2d3… × 10^point.
struct Digits {
  bool negative = false;
  std::string digits;
  int point = 0;
};

Digits Shortest(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  Digits result{.negative = std::signbit(value)};
  for (const char c : text.substr(0, e)) {
    if (c != '.') {
      result.digits += c;
    }
  }
  const std::size_t exponent_at = text[e + 1] == '+' ? e + 2 : e + 1;
  int exponent = 0;
  std::from_chars(text.data() + exponent_at, text.data() + text.size(), exponent);
  result.point = exponent + 1;
  if (value == 0) {
    result.point = 1;
  }
  return result;
}

// Formats without an exponent: "120", "1.5", "0.001".
std::string Plain(const Digits& d) {
  const int count = static_cast<int>(d.digits.size());
  std::string text = d.negative ? "-" : "";
  if (d.point <= 0) {
    return text + "0." + std::string(static_cast<std::size_t>(-d.point), '0') + d.digits;
  }
  if (d.point >= count) {
    return text + d.digits + std::string(static_cast<std::size_t>(d.point - count), '0');
  }
  return text + d.digits.substr(0, static_cast<std::size_t>(d.point)) + "." +
         d.digits.substr(static_cast<std::size_t>(d.point));
}

std::string WithExponent(const Digits& d, int least_exponent_digits) {
  std::string text = d.negative ? "-" : "";
  text += d.digits[0];
  if (d.digits.size() > 1) {
    text += "." + d.digits.substr(1);
  }
  const int exponent = d.point - 1;
  return text + fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent),
                            least_exponent_digits);
}

}  // namespace

std::string FormatJsonNumber(double value) {
  if (!std::isfinite(value)) {
    throw base::Error(base::Error::Kind::kInvalid, "JSON has no number for NaN and infinity");
  }
  const double size = std::fabs(value);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) {
    return Plain(Shortest(value));
  }
  // Go keeps two digits of a positive exponent and strips the zero of a negative one.
  return WithExponent(Shortest(value), value != 0 && size < 1 ? 1 : 2);
}

std::string FormatGeneralNumber(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-Inf" : "+Inf";
  }
  const Digits d = Shortest(value);
  const int exponent = d.point - 1;
  return exponent < -4 || exponent >= 6 ? WithExponent(d, 2) : Plain(d);
}

}  // namespace json
