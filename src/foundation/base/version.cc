// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/number.h"
#include "base/strings.h"

namespace base {
namespace {

// Reads a number without leading zeros from the front of `text`.
std::optional<int> TakeNumber(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || text.starts_with('-') || (length > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return value;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

bool AreIdentifiers(std::string_view text) {
  return std::ranges::all_of(Split(text, '.'), [](const std::string& part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
  });
}

// Returns whether a numeric part of a pre-release has leading zeros, which semver §9 forbids.
bool HasPaddedNumber(std::string_view text) {
  return std::ranges::any_of(Split(text, '.'), [](const std::string& part) {
    return part.size() > 1 && part.front() == '0' &&
           part.find_first_not_of("0123456789") == std::string::npos;
  });
}

// Compares two parts of a pre-release: numbers compare as numbers and precede words (semver §11).
std::strong_ordering CompareIdentifier(const std::string& a, const std::string& b) {
  const auto x = ParseNumber<unsigned long>(a);
  const auto y = ParseNumber<unsigned long>(b);
  if (x && y) {
    return *x <=> *y;
  }
  if (x || y) {
    return x ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a.compare(b) <=> 0;
}

std::strong_ordering ComparePreRelease(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) {
    return a.empty() <=> b.empty();
  }
  const auto x = Split(a, '.');
  const auto y = Split(b, '.');
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (const auto order = CompareIdentifier(x[i], y[i]); order != 0) {
      return order;
    }
  }
  return x.size() <=> y.size();
}

}  // namespace

std::optional<Version> Version::Parse(std::string_view text) {
  TakeChar(text, 'v');
  const auto major = TakeNumber(text);
  if (!major || !TakeChar(text, '.')) {
    return std::nullopt;
  }
  const auto minor = TakeNumber(text);
  if (!minor || !TakeChar(text, '.')) {
    return std::nullopt;
  }
  const auto patch = TakeNumber(text);
  if (!patch) {
    return std::nullopt;
  }
  Version version{*major, *minor, *patch, "", ""};
  if (const auto plus = text.find('+'); plus != text.npos) {
    version.build = text.substr(plus + 1);
    text = text.substr(0, plus);
    if (!AreIdentifiers(version.build)) {
      return std::nullopt;
    }
  }
  if (TakeChar(text, '-')) {
    version.pre_release = text;
    return AreIdentifiers(text) && !HasPaddedNumber(text) ? std::optional(version) : std::nullopt;
  }
  return text.empty() ? std::optional(version) : std::nullopt;
}

std::optional<Version> Version::ParseGeneric(std::string_view text) {
  text = Trim(text);
  TakeChar(text, 'v');
  const auto major = TakeNumber(text);
  if (!major || !TakeChar(text, '.')) {
    return std::nullopt;
  }
  const auto minor = TakeNumber(text);
  if (!minor) {
    return std::nullopt;
  }
  int patch = 0;
  if (TakeChar(text, '.')) {
    patch = TakeNumber(text).value_or(0);
  }
  return Version{*major, *minor, patch, "", ""};
}

std::string Version::Text() const {
  std::string out = fmt::format("{}.{}.{}", major, minor, patch);
  if (!pre_release.empty()) {
    out += "-" + pre_release;
  }
  if (!build.empty()) {
    out += "+" + build;
  }
  return out;
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  if (const auto order = a.major <=> b.major; order != 0) {
    return order;
  }
  if (const auto order = a.minor <=> b.minor; order != 0) {
    return order;
  }
  if (const auto order = a.patch <=> b.patch; order != 0) {
    return order;
  }
  return ComparePreRelease(a.pre_release, b.pre_release);
}

bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }

}  // namespace base
