// SPDX-License-Identifier: Apache-2.0
// Digests, MACs and authenticated encryption.
#pragma once

#include <string>
#include <string_view>

namespace pki {

std::string Sha256(std::string_view data);                            // 32 bytes
std::string HmacSha256(std::string_view key, std::string_view data);  // 32 bytes, RFC 2104

// Encrypt and decrypt with AES-256-GCM (NIST SP 800-38D). The sealed form is nonce (12 bytes) ‖
// ciphertext ‖ tag (16 bytes), without additional data. `key` has 32 bytes. SealAesGcm uses a fresh
// random nonce.
std::string SealAesGcm(std::string_view key, std::string_view plaintext);
// Throws base::Error(kInvalid) if the key is wrong or the ciphertext was changed.
std::string OpenAesGcm(std::string_view key, std::string_view sealed);

// DetachedJws returns the compact form of a JWS with an empty payload part (RFC 7515, appendix F),
// signed by HS256 with key id `key_id`. The bootstrap signer writes this form into cluster-info.
std::string DetachedJws(std::string_view key_id, std::string_view secret, std::string_view payload);

// ConstantTimeEqual compares secrets.
bool ConstantTimeEqual(std::string_view a, std::string_view b);

}  // namespace pki
