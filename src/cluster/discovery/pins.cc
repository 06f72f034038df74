// SPDX-License-Identifier: Apache-2.0
#include "discovery/pins.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"

namespace discovery {
namespace {

constexpr std::string_view kFormat = "sha256";
constexpr std::size_t kDigits = 64;

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string ParsePin(const std::string& text) {
  const std::vector<std::string> parts = base::Split(base::ToLower(text), ':');
  if (parts.size() != 2 || parts[0] != kFormat || parts[1].size() != kDigits ||
      !std::ranges::all_of(parts[1], IsHexDigit)) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("\"{}\" is not a hash of a CA certificate: it must be \"{}:\" and {} "
                    "hexadecimal digits (discovery.bootstrapToken.caCertHashes, "
                    "--discovery-token-ca-cert-hash)",
                    text, kFormat, kDigits));
  }
  return fmt::format("{}:{}", kFormat, parts[1]);
}

}  // namespace

std::vector<std::string> ParsePins(std::span<const std::string> texts) {
  std::vector<std::string> pins;
  for (const std::string& text : texts) {
    pins.push_back(ParsePin(text));
  }
  return pins;
}

std::vector<pki::Certificate> Pinned(std::span<const pki::Certificate> certificates,
                                     std::span<const std::string> pins) {
  std::vector<pki::Certificate> pinned;
  for (const pki::Certificate& certificate : certificates) {
    if (std::ranges::find(pins, pki::Pin(certificate)) != pins.end()) {
      pinned.push_back(certificate);
    }
  }
  return pinned;
}

}  // namespace discovery
