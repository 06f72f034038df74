// SPDX-License-Identifier: Apache-2.0
#include "discovery/pins.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "config/token.h"

namespace discovery {
namespace {

std::string ParsePin(const std::string& text) {
  if (!config::IsCaCertHash(text)) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("{} is not a hash of a CA certificate: it must be \"sha256:\" and 64 "
                    "hexadecimal digits (discovery.bootstrapToken.caCertHashes, "
                    "--discovery-token-ca-cert-hash)",
                    base::Quoted(text)));
  }
  return base::ToLower(text);
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
