// SPDX-License-Identifier: Apache-2.0
#include "pki/crypto.h"

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rand.h>

#include <array>

#include "base/strings.h"
#include "pki/openssl.h"

namespace pki {
namespace {

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;

// NewCipher throws kInvalid for a key of the wrong length.
CipherCtxPtr NewCipher(std::string_view key) {
  if (key.size() != kKeySize) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("an AES-256 key has 32 bytes, this one has {}", key.size()));
  }
  CipherCtxPtr cipher(EVP_CIPHER_CTX_new());
  Check(cipher != nullptr, "cannot encrypt");
  return cipher;
}

}  // namespace

std::string Sha256(std::string_view data) {
  std::string digest(32, '\0');
  std::size_t size = 0;
  Check(
      EVP_Q_digest(nullptr, "SHA256", nullptr, data.data(), data.size(), Bytes(digest), &size) == 1,
      "cannot compute SHA-256");
  return digest;
}

std::string HmacSha256(std::string_view key, std::string_view data) {
  std::string mac(32, '\0');
  std::size_t size = 0;
  Check(EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(), Bytes(data),
                  data.size(), Bytes(mac), mac.size(), &size) != nullptr,
        "cannot compute HMAC-SHA-256");
  return mac;
}

std::string SealAesGcm(std::string_view key, std::string_view plaintext) {
  const CipherCtxPtr cipher = NewCipher(key);
  std::string sealed(kNonceSize + plaintext.size() + kTagSize, '\0');
  unsigned char* nonce = Bytes(sealed);
  unsigned char* text = nonce + kNonceSize;
  unsigned char* tag = text + plaintext.size();
  int size = 0;
  Check(RAND_bytes(nonce, kNonceSize) == 1 &&
            EVP_EncryptInit_ex2(cipher.get(), EVP_aes_256_gcm(), Bytes(key), nonce, nullptr) == 1 &&
            EVP_EncryptUpdate(cipher.get(), text, &size, Bytes(plaintext),
                              static_cast<int>(plaintext.size())) == 1 &&
            EVP_EncryptFinal_ex(cipher.get(), text + size, &size) == 1 &&
            EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, tag) == 1,
        "cannot encrypt");
  return sealed;
}

std::string OpenAesGcm(std::string_view key, std::string_view sealed) {
  const CipherCtxPtr cipher = NewCipher(key);
  if (sealed.size() < kNonceSize + kTagSize) {
    throw base::Error(base::Error::Kind::kInvalid, "the encrypted text is too short");
  }
  const std::string_view nonce = sealed.substr(0, kNonceSize);
  const std::string_view text = sealed.substr(kNonceSize, sealed.size() - kNonceSize - kTagSize);
  std::string tag(sealed.substr(sealed.size() - kTagSize));
  std::string plaintext(text.size(), '\0');
  std::array<unsigned char, kTagSize> rest{};
  int size = 0;
  const bool opened =
      EVP_DecryptInit_ex2(cipher.get(), EVP_aes_256_gcm(), Bytes(key), Bytes(nonce), nullptr) ==
          1 &&
      EVP_DecryptUpdate(cipher.get(), Bytes(plaintext), &size, Bytes(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), rest.data(), &size) == 1;
  ERR_clear_error();
  if (!opened) {
    OPENSSL_cleanse(plaintext.data(), plaintext.size());
    throw base::Error(base::Error::Kind::kInvalid,
                      "cannot decrypt: the key is wrong or the text was changed");
  }
  return plaintext;
}

std::string DetachedJws(std::string_view key_id, std::string_view secret,
                        std::string_view payload) {
  const std::string header =
      base::Base64UrlEncode(fmt::format(R"({{"alg":"HS256","kid":"{}"}})", key_id));
  const std::string mac = HmacSha256(secret, header + "." + base::Base64UrlEncode(payload));
  return header + ".." + base::Base64UrlEncode(mac);
}

bool ConstantTimeEqual(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace pki
