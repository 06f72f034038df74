// SPDX-License-Identifier: Apache-2.0
#include "cli/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/strings.h"

namespace cli {
namespace {

using base::Error;

constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "True", "TRUE"};
constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "False", "FALSE"};

[[noreturn]] void ThrowNoNumber(std::string_view text) {
  throw Error(Error::Kind::kInvalid, base::Quoted(text) + " is not a whole number");
}

struct Prefix {
  std::string_view text;
  int base;
};

// The one-character prefix comes last, so that "0x1" is not read as octal.
constexpr std::array kPrefixes = {Prefix{"0x", 16}, Prefix{"0X", 16}, Prefix{"0o", 8},
                                  Prefix{"0O", 8},  Prefix{"0b", 2},  Prefix{"0B", 2},
                                  Prefix{"0", 8}};

// Removes each '_' between two digits, or between prefix and digit. Returns std::nullopt if there
// is a '_' elsewhere.
std::optional<std::string> WithoutUnderscores(std::string_view digits, bool after_prefix) {
  std::string out;
  bool digit_before = after_prefix;
  for (const char c : digits) {
    if (c == '_' && !digit_before) {
      return std::nullopt;
    }
    digit_before = c != '_';
    if (digit_before) {
      out += c;
    }
  }
  return digit_before ? std::optional(out) : std::nullopt;
}

// Converts sign and digits to a number; `shown` is the user's spelling.
std::int64_t FromDigits(std::string_view digits, int number_base, std::string_view shown,
                        int bits) {
  const bool negative = shown.starts_with('-');
  std::uint64_t value = 0;
  const char* begin = digits.data();
  const char* end = begin + digits.size();
  const auto [stop, code] = std::from_chars(begin, end, value, number_base);
  if (code == std::errc::invalid_argument || stop != end) {
    ThrowNoNumber(shown);
  }
  const std::uint64_t most = (std::uint64_t{1} << (bits - 1)) - (negative ? 0 : 1);
  if (code == std::errc::result_out_of_range || value > most) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is out of range for {} bits", base::Quoted(shown), bits));
  }
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

std::string_view WithoutSign(std::string_view text) {
  return text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
}

// Parses the first field of `rest`, a comma-separated line. Removes the field from `rest`, but not
// the comma after the field.
std::string TakeQuotedField(std::string_view& rest, std::string_view whole) {
  std::string field;
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '"') {
      field += c;
    } else if (rest.starts_with('"')) {
      field += '"';
      rest.remove_prefix(1);
    } else if (rest.empty() || rest.front() == ',' || rest.front() == '\n') {
      return field;
    } else {
      break;
    }
  }
  throw Error(Error::Kind::kInvalid,
              base::Quoted(whole) + " has a quote which does not end a value");
}

std::string TakeBareField(std::string_view& rest, std::string_view whole) {
  const std::string field(rest.substr(0, rest.find_first_of(",\n")));
  rest.remove_prefix(field.size());
  if (field.contains('"')) {
    throw Error(Error::Kind::kInvalid, base::Quoted(whole) + " has a quote within a bare value");
  }
  return field;
}

}  // namespace

bool ParseBool(std::string_view text) {
  if (std::ranges::find(kTrue, text) != kTrue.end()) {
    return true;
  }
  if (std::ranges::find(kFalse, text) != kFalse.end()) {
    return false;
  }
  throw Error(Error::Kind::kInvalid, base::Quoted(text) + " is neither true nor false");
}

std::int64_t ParseDecimal(std::string_view text, int bits) {
  return FromDigits(WithoutSign(text), 10, text, bits);
}

std::int64_t ParseInteger(std::string_view text, int bits) {
  std::string_view digits = WithoutSign(text);
  int number_base = 10;
  bool prefixed = false;
  for (const Prefix& prefix : kPrefixes) {
    if (!prefixed && digits.size() > prefix.text.size() && digits.starts_with(prefix.text)) {
      digits.remove_prefix(prefix.text.size());
      number_base = prefix.base;
      prefixed = true;
    }
  }
  const std::optional<std::string> clean = WithoutUnderscores(digits, prefixed);
  if (!clean) {
    ThrowNoNumber(text);
  }
  return FromDigits(*clean, number_base, text, bits);
}

std::vector<std::string> ParseList(std::string_view text) {
  std::vector<std::string> fields;
  if (text.empty()) {
    return fields;
  }
  std::string_view rest = text;
  rest.remove_prefix(std::min(rest.find_first_not_of("\r\n"), rest.size()));
  if (rest.empty()) {
    throw Error(Error::Kind::kInvalid, "the list holds nothing but line ends");
  }
  while (true) {
    fields.push_back(rest.starts_with('"') ? TakeQuotedField(rest, text)
                                           : TakeBareField(rest, text));
    if (!rest.starts_with(',')) {
      return fields;
    }
    rest.remove_prefix(1);
  }
}

std::vector<Pair> ParsePairs(std::string_view text) {
  std::vector<Pair> pairs;
  for (const std::string& part : base::Split(text, ',')) {
    const std::vector<std::string> sides = base::Split(part, '=');
    if (sides.size() != 2) {
      throw Error(Error::Kind::kInvalid, "expected key=value pairs, got " + base::Quoted(text));
    }
    pairs.emplace_back(sides[0], sides[1]);
  }
  return pairs;
}

}  // namespace cli
