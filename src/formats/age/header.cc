// SPDX-License-Identifier: Apache-2.0
#include "age/header.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "pki/chacha20_poly1305.h"
#include "pki/crypto.h"
#include "pki/key_derivation.h"
#include "pki/x25519.h"

namespace age {
namespace {

using base::Error;
using pki::ChaCha20Poly1305;

constexpr std::string_view kX25519 = "X25519";
constexpr std::string_view kScrypt = "scrypt";
constexpr std::string_view kX25519Info = "age-encryption.org/v1/X25519";
constexpr std::string_view kScryptInfo = "age-encryption.org/v1/scrypt";
constexpr std::size_t kColumns = 64;  // of a stanza's body
constexpr std::size_t kScryptSaltSize = 16;
constexpr std::size_t kMacSize = 32;

[[noreturn]] void FailMalformed(std::string_view why) {
  throw Error(Error::Kind::kInvalid, fmt::format("the age header is malformed: {}", why));
}

std::string Encoded(std::string_view bytes) {
  std::string text = base::Base64Encode(bytes);
  text.resize(text.find_last_not_of('=') + 1);
  return text;
}

// Decodes base64. The format forbids padding and every form except the shortest one.
std::string Decoded(std::string_view text) {
  std::string padded(text);
  padded.append((4 - text.size() % 4) % 4, '=');
  std::string bytes;
  try {
    bytes = base::Base64Decode(padded);
  } catch (const Error&) {
    FailMalformed("a value is not base64");
  }
  if (Encoded(bytes) != text) {
    FailMalformed("a value is not canonical base64");
  }
  return bytes;
}

// Takes lines from the beginning of a text.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  // Returns the next line; std::nullopt if the text does not contain its end yet.
  std::optional<std::string_view> Next() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words = base::Split(line, ' ');
  for (const std::string& word : words) {
    if (word.empty() || std::ranges::any_of(word, [](char c) { return c < '!' || c > '~'; })) {
      FailMalformed("a line of a stanza has an empty or unprintable word");
    }
  }
  return words;
}

// Reads the lines of a body. Returns std::nullopt if the text does not contain its end yet.
std::optional<std::string> ReadBody(LineReader& lines) {
  std::string text;
  while (const auto line = lines.Next()) {
    if (line->size() > kColumns) {
      FailMalformed("a line of a body is too long");
    }
    text += *line;
    if (line->size() < kColumns) {
      return Decoded(text);
    }
  }
  return std::nullopt;
}

std::optional<Stanza> ReadStanza(std::string_view line, LineReader& lines) {
  std::vector<std::string> words = Words(line.substr(3));
  Stanza stanza{.type = words.front(), .args = {words.begin() + 1, words.end()}, .body = {}};
  std::optional<std::string> body = ReadBody(lines);
  if (!body) {
    return std::nullopt;
  }
  stanza.body = *std::move(body);
  return stanza;
}

std::string ZeroNonce() { return std::string(ChaCha20Poly1305::kNonceSize, '\0'); }

std::string StanzaText(const Stanza& stanza) {
  std::string text = "-> " + stanza.type;
  for (const std::string& arg : stanza.args) {
    text += ' ' + arg;
  }
  const std::string body = Encoded(stanza.body);
  for (std::size_t at = 0; at <= body.size(); at += kColumns) {
    text += '\n' + body.substr(at, kColumns);
  }
  return text + '\n';
}

std::string X25519Key(std::string_view secret, std::string_view share, std::string_view recipient) {
  const std::string salt = std::string(share) + std::string(recipient);
  return pki::HkdfSha256(secret, {.salt = salt, .info = kX25519Info});
}

std::string ScryptKey(std::string_view passphrase, std::string_view salt, int work) {
  return pki::Scrypt(passphrase, std::string(kScryptInfo) + std::string(salt), work);
}

Stanza WrapForRecipient(const std::string& recipient, std::string_view file_key) {
  const base::SecretText ephemeral(pki::NewX25519Key());
  const std::string share = pki::X25519PublicKey(ephemeral);
  const base::SecretText shared(pki::X25519SharedSecret(ephemeral, recipient));
  const base::SecretText key(X25519Key(shared, share, recipient));
  return {.type = std::string(kX25519),
          .args = {Encoded(share)},
          .body = ChaCha20Poly1305(key).Seal(ZeroNonce(), file_key)};
}

Stanza WrapByPassphrase(const Locks& locks, std::string_view file_key) {
  const std::string salt = pki::RandomBytes(kScryptSaltSize);
  const base::SecretText key(ScryptKey(locks.passphrase, salt, locks.scrypt_work));
  return {.type = std::string(kScrypt),
          .args = {Encoded(salt), std::to_string(locks.scrypt_work)},
          .body = ChaCha20Poly1305(key).Seal(ZeroNonce(), file_key)};
}

std::string MacOf(std::string_view file_key, std::string_view covered) {
  const base::SecretText key(pki::HkdfSha256(file_key, {.salt = {}, .info = "header"}));
  return pki::HmacSha256(key, covered);
}

std::optional<std::string> Unwrap(std::string_view key, const Stanza& stanza) {
  if (stanza.body.size() != kFileKeySize + ChaCha20Poly1305::kTagSize) {
    FailMalformed("a wrapped key has another length");
  }
  return ChaCha20Poly1305(key).Open(ZeroNonce(), stanza.body);
}

std::optional<std::string> TryIdentities(const Stanza& stanza, const Keys& keys) {
  if (stanza.args.size() != 1) {
    FailMalformed("an X25519 stanza has other arguments");
  }
  const std::string share = Decoded(stanza.args.front());
  if (share.size() != pki::kX25519Size) {
    FailMalformed("an X25519 stanza has another key");
  }
  for (const std::string& identity : keys.identities) {
    const base::SecretText shared(pki::X25519SharedSecret(identity, share));
    const base::SecretText key(X25519Key(shared, share, pki::X25519PublicKey(identity)));
    if (auto file_key = Unwrap(key, stanza)) {
      return file_key;
    }
  }
  return std::nullopt;
}

std::optional<std::string> TryPassphrase(const Stanza& stanza, const Keys& keys) {
  if (stanza.args.size() != 2) {
    FailMalformed("a scrypt stanza has other arguments");
  }
  const std::string salt = Decoded(stanza.args[0]);
  const auto work = base::ParseNumber<int>(stanza.args[1]);
  if (salt.size() != kScryptSaltSize || !work || std::to_string(*work) != stanza.args[1]) {
    FailMalformed("a scrypt stanza has another salt or work factor");
  }
  if (keys.passphrase.empty()) {
    return std::nullopt;
  }
  const base::SecretText key(ScryptKey(keys.passphrase, salt, *work));
  return Unwrap(key, stanza);
}

[[noreturn]] void FailToOpen(const Header& header, const Keys& keys) {
  const Encryption encryption = DescribeHeader(header);
  const char* why = "none of the identities is one of its recipients";
  if (encryption.passphrase) {
    why = keys.passphrase.empty() ? "it needs a passphrase" : "the passphrase is wrong";
  } else if (keys.identities.empty()) {
    why = "it needs an identity";
  }
  throw Error(Error::Kind::kForbidden, fmt::format("the file cannot be decrypted: {}", why));
}

}  // namespace

Locks::~Locks() { base::Wipe(passphrase); }

Keys::~Keys() {
  std::ranges::for_each(identities, base::Wipe);
  base::Wipe(passphrase);
}

std::optional<Header> ParseHeader(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kMagic.size());
  if (begin != kMagic.substr(0, begin.size())) {
    throw Error(Error::Kind::kInvalid, "not a file in the age format, version 1");
  }
  const std::string_view text = bytes.substr(0, kLargestHeader);
  LineReader lines(text);
  lines.Next();  // skips the version line
  Header header;
  while (const auto line = lines.Next()) {
    if (line->starts_with("--- ")) {
      header.mac = Decoded(line->substr(4));
      if (header.mac.size() != kMacSize || header.stanzas.empty()) {
        FailMalformed("its MAC has the wrong length, or it has no recipient");
      }
      header.size = text.size() - lines.left();
      header.mac_covers = header.size - line->size() - 1 + 3;
      return header;
    }
    if (!line->starts_with("-> ")) {
      FailMalformed("a line begins neither a stanza nor the MAC");
    }
    std::optional<Stanza> stanza = ReadStanza(*line, lines);
    if (!stanza) {
      break;
    }
    header.stanzas.push_back(*std::move(stanza));
  }
  if (text.size() == kLargestHeader) {
    FailMalformed("it is too long");
  }
  return std::nullopt;
}

std::string MakeHeader(const Locks& locks, std::string_view file_key) {
  if (locks.recipients.empty() == locks.passphrase.empty()) {
    throw Error(Error::Kind::kInvalid,
                locks.passphrase.empty()
                    ? "the file would have neither a recipient nor a passphrase"
                    : "a file has a passphrase or recipients, not both");
  }
  std::string text(kMagic);
  if (!locks.passphrase.empty()) {
    text += StanzaText(WrapByPassphrase(locks, file_key));
  }
  for (const std::string& recipient : locks.recipients) {
    text += StanzaText(WrapForRecipient(recipient, file_key));
  }
  text += "---";
  return text + ' ' + Encoded(MacOf(file_key, text)) + '\n';
}

std::string OpenHeader(const Header& header, std::string_view bytes, const Keys& keys) {
  const bool by_passphrase = DescribeHeader(header).passphrase;
  if (by_passphrase && header.stanzas.size() != 1) {
    FailMalformed("a passphrase is not its only key");
  }
  for (const Stanza& stanza : header.stanzas) {
    std::optional<std::string> file_key;
    if (stanza.type == kX25519) {
      file_key = TryIdentities(stanza, keys);
    } else if (stanza.type == kScrypt) {
      file_key = TryPassphrase(stanza, keys);
    }
    if (!file_key) {
      continue;
    }
    if (!pki::ConstantTimeEqual(MacOf(*file_key, bytes.substr(0, header.mac_covers)), header.mac)) {
      base::Wipe(*file_key);
      throw Error(Error::Kind::kInvalid, "the age header was changed: its MAC is wrong");
    }
    return *std::move(file_key);
  }
  FailToOpen(header, keys);
}

Encryption DescribeHeader(const Header& header) {
  Encryption encryption;
  for (const Stanza& stanza : header.stanzas) {
    if (stanza.type == kX25519) {
      ++encryption.recipients;
    } else if (stanza.type == kScrypt) {
      encryption.passphrase = true;
    } else {
      ++encryption.unknown;
    }
  }
  return encryption;
}

}  // namespace age
