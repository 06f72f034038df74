// SPDX-License-Identifier: Apache-2.0
#include "pki/chacha20_poly1305.h"

#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/secret_text.h"
#include "pki/openssl.h"

namespace pki {
namespace {

void RequireNonce(std::string_view nonce) {
  if (nonce.size() != ChaCha20Poly1305::kNonceSize) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("a nonce has 12 bytes, this one has {}", nonce.size()));
  }
}

}  // namespace

void ChaCha20Poly1305::Free::operator()(evp_cipher_ctx_st* context) const {
  EVP_CIPHER_CTX_free(context);
}

ChaCha20Poly1305::ChaCha20Poly1305(std::string_view key)
    : key_(key), context_(EVP_CIPHER_CTX_new()) {
  if (key.size() != kKeySize) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("a ChaCha20 key has 32 bytes, this one has {}", key.size()));
  }
  Check(context_ != nullptr, "cannot encrypt");
}

ChaCha20Poly1305::~ChaCha20Poly1305() { base::Wipe(key_); }

std::string ChaCha20Poly1305::Seal(std::string_view nonce, std::string_view plaintext) {
  RequireNonce(nonce);
  std::string sealed(plaintext.size() + kTagSize, '\0');
  unsigned char* tag = Bytes(sealed) + plaintext.size();
  int size = 0;
  Check(EVP_EncryptInit_ex2(context_.get(), EVP_chacha20_poly1305(), Bytes(key_), Bytes(nonce),
                            nullptr) == 1 &&
            EVP_EncryptUpdate(context_.get(), Bytes(sealed), &size, Bytes(plaintext),
                              static_cast<int>(plaintext.size())) == 1 &&
            EVP_EncryptFinal_ex(context_.get(), tag, &size) == 1 &&
            EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, tag) == 1,
        "cannot encrypt");
  return sealed;
}

std::optional<std::string> ChaCha20Poly1305::Open(std::string_view nonce, std::string_view sealed) {
  RequireNonce(nonce);
  if (sealed.size() < kTagSize) {
    return std::nullopt;
  }
  const std::string_view text = sealed.substr(0, sealed.size() - kTagSize);
  std::string tag(sealed.substr(text.size()));
  std::string plaintext(text.size() + kTagSize, '\0');  // never empty, so that its address is valid
  int size = 0;
  const bool opened =
      EVP_DecryptInit_ex2(context_.get(), EVP_chacha20_poly1305(), Bytes(key_), Bytes(nonce),
                          nullptr) == 1 &&
      EVP_DecryptUpdate(context_.get(), Bytes(plaintext), &size, Bytes(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(context_.get(), Bytes(plaintext) + size, &size) == 1;
  ERR_clear_error();
  if (!opened) {
    base::Wipe(plaintext);
    return std::nullopt;
  }
  plaintext.resize(text.size());
  return plaintext;
}

}  // namespace pki
