// SPDX-License-Identifier: Apache-2.0
#include "age/keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "age/bech32.h"
#include "base/error.h"
#include "base/strings.h"
#include "pki/x25519.h"

namespace age {
namespace {

using base::Error;

constexpr std::string_view kRecipientPrefix = "age";
constexpr std::string_view kIdentityPrefix = "age-secret-key-";

std::optional<std::string> KeyIn(std::string_view text, std::string_view prefix) {
  const std::optional<Bech32> value = DecodeBech32(text);
  if (!value || value->prefix != prefix || value->bytes.size() != pki::kX25519Size) {
    return std::nullopt;
  }
  return value->bytes;
}

std::vector<std::string> ParseLines(std::string_view file, std::string_view what,
                                    std::string (*parse)(std::string_view)) {
  std::vector<std::string> keys;
  int number = 0;
  for (const std::string& line : base::Lines(file)) {
    ++number;
    const std::string_view text = base::Trim(line);
    if (!text.empty() && !text.starts_with('#')) {
      keys.push_back(
          base::WithContext(fmt::format("line {}", number), [&] { return parse(text); }));
    }
  }
  if (keys.empty()) {
    throw Error(Error::Kind::kInvalid, fmt::format("the file has no {}", what));
  }
  return keys;
}

}  // namespace

std::string ParseRecipient(std::string_view text) {
  if (const auto key = KeyIn(text, kRecipientPrefix); key && !text.starts_with("AGE")) {
    return *key;
  }
  // The user may have passed the secret key by mistake.
  const bool secret = base::ToLower(text).starts_with(kIdentityPrefix);
  throw Error(Error::Kind::kInvalid,
              secret ? "a secret key is not a recipient: give its public key, \"age1…\""
                     : fmt::format("{} is not an age recipient, \"age1…\"", base::Quoted(text)));
}

std::string RecipientText(std::string_view public_key) {
  return EncodeBech32({.prefix = std::string(kRecipientPrefix), .bytes = std::string(public_key)});
}

std::string ParseIdentity(std::string_view text) {
  if (const auto key = KeyIn(text, kIdentityPrefix); key && text.starts_with("AGE")) {
    return *key;
  }
  throw Error(Error::Kind::kInvalid, "not an age identity, \"AGE-SECRET-KEY-1…\"");
}

std::string IdentityText(std::string_view private_key) {
  std::string text =
      EncodeBech32({.prefix = std::string(kIdentityPrefix), .bytes = std::string(private_key)});
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<std::string> ParseRecipients(std::string_view file) {
  return ParseLines(file, "recipients", ParseRecipient);
}

std::vector<std::string> ParseIdentities(std::string_view file) {
  return ParseLines(file, "identities", ParseIdentity);
}

}  // namespace age
