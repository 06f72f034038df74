// SPDX-License-Identifier: Apache-2.0
#include "yaml/scalar.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace yaml {
namespace {

using Kind = Scalar::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

struct Word {
  std::string_view text;
  Scalar scalar;
};

constexpr Scalar kTrue{.kind = Kind::kBool, .boolean = true};
constexpr Scalar kFalse{.kind = Kind::kBool, .boolean = false};
constexpr Scalar kNull{.kind = Kind::kNull};
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Scalar kInfinity{.kind = Kind::kFloat, .number = kInf};
constexpr Scalar kMinusInfinity{.kind = Kind::kFloat, .number = -kInf};
constexpr Scalar kNan{.kind = Kind::kFloat, .number = std::numeric_limits<double>::quiet_NaN()};

constexpr Word kWords[] = {
    {"", kNull},
    {"~", kNull},
    {"null", kNull},
    {"Null", kNull},
    {"NULL", kNull},
    {"y", kTrue},
    {"Y", kTrue},
    {"yes", kTrue},
    {"Yes", kTrue},
    {"YES", kTrue},
    {"on", kTrue},
    {"On", kTrue},
    {"ON", kTrue},
    {"true", kTrue},
    {"True", kTrue},
    {"TRUE", kTrue},
    {"n", kFalse},
    {"N", kFalse},
    {"no", kFalse},
    {"No", kFalse},
    {"NO", kFalse},
    {"off", kFalse},
    {"Off", kFalse},
    {"OFF", kFalse},
    {"false", kFalse},
    {"False", kFalse},
    {"FALSE", kFalse},
    {".nan", kNan},
    {".NaN", kNan},
    {".NAN", kNan},
    {".inf", kInfinity},
    {".Inf", kInfinity},
    {".INF", kInfinity},
    {"+.inf", kInfinity},
    {"+.Inf", kInfinity},
    {"+.INF", kInfinity},
    {"-.inf", kMinusInfinity},
    {"-.Inf", kMinusInfinity},
    {"-.INF", kMinusInfinity},
    {"<<", {.kind = Kind::kMerge}},
};

// Returns the radix of a number's prefix, and removes the prefix.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') {
    return 10;
  }
  const char second = static_cast<char>(digits[1] | 0x20);
  const int base = second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// Parses integers of 64 bits. A value above the signed range becomes a float, as it does in every
// Kubernetes object.
std::optional<Scalar> ReadInteger(std::string_view text) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  const int base = TakeBase(digits);
  std::uint64_t size = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (end.ec != std::errc() || end.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (size <= kMost + (negative ? 1 : 0)) {
    return Scalar{.kind = Kind::kInt,
                  .integer = static_cast<std::int64_t>(negative ? 0 - size : size)};
  }
  if (has_sign) {
    return std::nullopt;
  }
  return Scalar{.kind = Kind::kFloat, .number = static_cast<double>(size)};
}

// Removes the leading digits, and returns their count.
std::size_t SkipDigits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

bool Take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

bool LooksLikeFloat(std::string_view text) {
  Take(text, "+-");
  const std::size_t whole = SkipDigits(text);
  if (Take(text, ".")) {
    if (SkipDigits(text) == 0 && whole == 0) {
      return false;
    }
  } else if (whole == 0) {
    return false;
  }
  if (Take(text, "eE")) {
    Take(text, "+-");
    if (SkipDigits(text) == 0) {
      return false;
    }
  }
  return text.empty();
}

std::optional<Scalar> ReadFloat(const std::string& text) {
  if (!LooksLikeFloat(text)) {
    return std::nullopt;
  }
  // strtod, unlike from_chars, distinguishes underflow (zero) from overflow.
  const double number = std::strtod(text.c_str(), nullptr);
  if (std::isinf(number)) {
    return std::nullopt;
  }
  return Scalar{.kind = Kind::kFloat, .number = number};
}

bool UnderscoresPartDigits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' &&
        (i == 0 || i + 1 == text.size() || !IsDigit(text[i - 1]) || !IsDigit(text[i + 1]))) {
      return false;
    }
  }
  return true;
}

// Parses one or two digits within bounds.
bool ReadBounded(std::string_view& text, int least, int most, int& value) {
  std::string_view rest = text;
  const std::size_t count = std::min<std::size_t>(SkipDigits(rest), 2);
  value = 0;
  for (const char c : text.substr(0, count)) {
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return count > 0 && value >= least && value <= most;
}

bool IsDate(std::string_view& text) {
  const std::string_view digits = text.substr(0, 4);
  if (text.size() < 8 || !std::ranges::all_of(digits, IsDigit)) {
    return false;
  }
  int year = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), year);
  text.remove_prefix(digits.size());
  int month = 0;
  int day = 0;
  if (!Take(text, "-") || !ReadBounded(text, 1, 12, month) || !Take(text, "-") ||
      !ReadBounded(text, 1, 31, day)) {
    return false;
  }
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

bool IsTimeOfDay(std::string_view& text) {
  int ignored = 0;
  if (!ReadBounded(text, 0, 23, ignored) || !Take(text, ":") ||
      !ReadBounded(text, 0, 59, ignored) || !Take(text, ":") ||
      !ReadBounded(text, 0, 59, ignored)) {
    return false;
  }
  return !Take(text, ".,") || SkipDigits(text) > 0;
}

bool IsZone(std::string_view text) {
  if (text == "Z") {
    return true;
  }
  int ignored = 0;
  return text.size() == 6 && Take(text, "+-") && text[2] == ':' &&
         ReadBounded(text, 0, 24, ignored) && Take(text, ":") &&
         ReadBounded(text, 0, 60, ignored) && text.empty();
}

bool IsTimestamp(std::string_view text) {
  if (!IsDate(text)) {
    return false;
  }
  if (text.empty()) {
    return true;
  }
  if (Take(text, "Tt")) {
    return IsTimeOfDay(text) && IsZone(text);
  }
  if (!Take(text, " ")) {
    return false;
  }
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return IsTimeOfDay(text) && text.empty();
}

bool IsBase60(std::string_view text) {
  Take(text, "+-");
  if (text.empty() || !IsDigit(text.front())) {
    return false;
  }
  text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  int groups = 0;
  while (Take(text, ":")) {
    std::string_view digits = text;
    const std::size_t count = SkipDigits(digits);
    if (count == 0 || count > 2 || (count == 2 && text.front() > '5')) {
      return false;
    }
    text = digits;
    ++groups;
  }
  if (Take(text, ".")) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  }
  return groups > 0 && text.empty();
}

}  // namespace

Scalar ResolveScalar(std::string_view text) {
  const auto* const word = std::ranges::find(kWords, text, &Word::text);
  if (word != std::end(kWords)) {
    return word->scalar;
  }
  if (!IsDigit(text.front()) && std::string_view("+-.").find(text.front()) == text.npos) {
    return {};
  }
  if (IsTimestamp(text)) {
    return {.kind = Kind::kTimestamp};
  }
  // go-yaml drops all underscores. The only exception is a number with a leading point, for which
  // Go's own, stricter rule applies.
  if (text.front() == '.' && !UnderscoresPartDigits(text)) {
    return {};
  }
  std::string plain(text);
  std::erase(plain, '_');
  if (text.front() == '.') {
    return ReadFloat(plain).value_or(Scalar{});
  }
  if (const auto integer = ReadInteger(plain)) {
    return *integer;
  }
  return ReadFloat(plain).value_or(Scalar{});
}

std::string_view TagOf(Scalar::Kind kind) {
  constexpr std::string_view kTags[] = {"!!null",      "!!bool",  "!!int", "!!float",
                                        "!!timestamp", "!!merge", "!!str"};
  return kTags[static_cast<std::size_t>(kind)];
}

bool NeedsQuotes(std::string_view text) {
  const Kind kind = ResolveScalar(text).kind;
  return (kind != Kind::kString && kind != Kind::kMerge) || IsBase60(text);
}

}  // namespace yaml
