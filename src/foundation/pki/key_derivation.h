// SPDX-License-Identifier: Apache-2.0
// Random bytes, and keys derived from secrets and passphrases.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pki {

// Returns bytes of OpenSSL's generator for private data.
std::string RandomBytes(std::size_t size);

// The inputs of a derivation besides the secret.
struct DerivationContext {
  std::string_view salt;
  std::string_view info;  // names the purpose; not used by scrypt
};

// Returns a key of 32 bytes (HKDF with SHA-256, RFC 5869).
std::string HkdfSha256(std::string_view secret, const DerivationContext& context);

inline constexpr int kMostScryptWork = 20;  // 1 GiB of memory

// Derives a key of 32 bytes (scrypt with N = 2^work, r = 8, p = 1, RFC 7914). Needs 2^(work+10)
// bytes of memory. Throws base::Error(kInvalid) unless work is in 1…kMostScryptWork.
std::string Scrypt(std::string_view passphrase, std::string_view salt, int work);

}  // namespace pki
