// SPDX-License-Identifier: Apache-2.0
// Key agreement by X25519 (RFC 7748 §6.1). A key is its 32 raw bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pki {

inline constexpr std::size_t kX25519Size = 32;  // bytes of a key, and of a shared secret

std::string NewX25519Key();

// Returns the public key of a private one. Throws base::Error(kInvalid) for another length.
std::string X25519PublicKey(std::string_view private_key);

// Returns the secret that the owners of both keys share. Throws base::Error(kInvalid) for a key of
// another length than 32 bytes, and for a public key of low order, whose shared secret would be
// predictable.
std::string X25519SharedSecret(std::string_view private_key, std::string_view public_key);

}  // namespace pki
