// SPDX-License-Identifier: Apache-2.0
// Bech32 (BIP 173), without its limit of 90 characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace age {

// A decoded string: its prefix in lower case, and its bytes.
struct Bech32 {
  std::string prefix;
  std::string bytes;
};

// Decodes a string. Returns std::nullopt for a malformed string, such as one with a wrong checksum,
// mixed case, or spare bits that are not zero.
std::optional<Bech32> DecodeBech32(std::string_view text);

// Returns the encoding in lower case. The prefix must be lower-case ASCII.
std::string EncodeBech32(const Bech32& value);

}  // namespace age
