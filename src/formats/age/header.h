// SPDX-License-Identifier: Apache-2.0
// The header of an age file (https://github.com/C2SP/C2SP/blob/main/age.md): the file key, wrapped
// for each recipient.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace age {

inline constexpr std::string_view kMagic = "age-encryption.org/v1\n";
inline constexpr std::size_t kFileKeySize = 16;
inline constexpr std::size_t kLargestHeader = std::size_t{1} << 20;

// A wrapped file key: its type and arguments, and its body.
struct Stanza {
  std::string type;  // "X25519" or "scrypt"; other types are unknown here
  std::vector<std::string> args;
  std::string body;
};

// A parsed header.
struct Header {
  std::vector<Stanza> stanzas;
  std::string mac;
  std::size_t size = 0;  // bytes of the header in the file
  // The number of header bytes that the MAC covers: up to and including "---".
  std::size_t mac_covers = 0;
};

// Returns the header at the beginning of a file, or std::nullopt if the end of the header is not
// among the bytes yet. Throws base::Error(kInvalid) for a malformed header, and for more than
// kLargestHeader bytes without an end.
std::optional<Header> ParseHeader(std::string_view bytes);

// The locks of a new file: recipients (public keys), or a passphrase. Its destructor overwrites
// the passphrase.
struct Locks {
  std::vector<std::string> recipients;
  std::string passphrase;  // "": not set
  int scrypt_work = 18;    // log2 of N, as the age program chooses it
  ~Locks();
};

// Returns the header for a file key. Throws base::Error(kInvalid) without a recipient or
// passphrase, and with both, which the format forbids.
std::string MakeHeader(const Locks& locks, std::string_view file_key);

// The keys to a file: identities (private keys), or the passphrase. Its destructor overwrites them.
struct Keys {
  std::vector<std::string> identities;
  std::string passphrase;  // "": not set
  ~Keys();
};

// Returns the file key. `bytes` begins with the header. Throws base::Error(kForbidden) if none of
// the keys fits, and kInvalid for a malformed stanza or a header that was changed.
std::string OpenHeader(const Header& header, std::string_view bytes, const Keys& keys);

// The encryption of a file, as far as the header shows it without a key.
struct Encryption {
  std::size_t recipients = 0;  // X25519
  bool passphrase = false;
  std::size_t unknown = 0;  // stanzas of other types
};
Encryption DescribeHeader(const Header& header);

}  // namespace age
