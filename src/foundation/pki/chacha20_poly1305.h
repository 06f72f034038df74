// SPDX-License-Identifier: Apache-2.0
// Authenticated encryption by ChaCha20-Poly1305 (RFC 8439 §2.8), without additional data.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct evp_cipher_ctx_st;  // OpenSSL's EVP_CIPHER_CTX

namespace pki {

class ChaCha20Poly1305 {
 public:
  static constexpr std::size_t kKeySize = 32;    // bytes
  static constexpr std::size_t kNonceSize = 12;  // bytes
  static constexpr std::size_t kTagSize = 16;    // bytes, after the ciphertext

  // Throws base::Error(kInvalid) for a key of another length.
  explicit ChaCha20Poly1305(std::string_view key);
  ~ChaCha20Poly1305();
  ChaCha20Poly1305(const ChaCha20Poly1305&) = delete;
  ChaCha20Poly1305& operator=(const ChaCha20Poly1305&) = delete;

  // Returns ciphertext and tag. A nonce of kNonceSize bytes must not be used twice with one key.
  std::string Seal(std::string_view nonce, std::string_view plaintext);
  // Returns std::nullopt if key or nonce are wrong, or the text was changed.
  std::optional<std::string> Open(std::string_view nonce, std::string_view sealed);

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  std::string key_;
  std::unique_ptr<evp_cipher_ctx_st, Free> context_;
};

}  // namespace pki
