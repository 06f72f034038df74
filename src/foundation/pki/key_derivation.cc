// SPDX-License-Identifier: Apache-2.0
#include "pki/key_derivation.h"

#include <fmt/core.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>

#include "pki/openssl.h"

namespace pki {
namespace {

constexpr std::size_t kKeySize = 32;

using KdfPtr = std::unique_ptr<EVP_KDF, Deleter<EVP_KDF_free>>;
using KdfCtxPtr = std::unique_ptr<EVP_KDF_CTX, Deleter<EVP_KDF_CTX_free>>;

// OpenSSL refuses a null pointer here, and does not write to the bytes.
OSSL_PARAM Octets(const char* name, std::string_view value) {
  const char* bytes = value.empty() ? "" : value.data();
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes), value.size());
}

}  // namespace

std::string RandomBytes(std::size_t size) {
  std::string bytes(size, '\0');
  Check(RAND_priv_bytes(Bytes(bytes), static_cast<int>(size)) == 1, "cannot get random bytes");
  return bytes;
}

std::string HkdfSha256(std::string_view secret, const DerivationContext& context) {
  const KdfPtr kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const KdfCtxPtr derivation(EVP_KDF_CTX_new(kdf.get()));
  Check(derivation != nullptr, "cannot derive a key");
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 5> params{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      Octets(OSSL_KDF_PARAM_KEY, secret), Octets(OSSL_KDF_PARAM_SALT, context.salt),
      Octets(OSSL_KDF_PARAM_INFO, context.info), OSSL_PARAM_construct_end()};
  std::string key(kKeySize, '\0');
  Check(EVP_KDF_derive(derivation.get(), Bytes(key), key.size(), params.data()) == 1,
        "cannot derive a key");
  return key;
}

std::string Scrypt(std::string_view passphrase, std::string_view salt, int work) {
  if (work < 1 || work > kMostScryptWork) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("scrypt's work factor is {}, not one of 1 to {}", work, kMostScryptWork));
  }
  constexpr std::uint64_t kBlocks = 8;
  const std::uint64_t rounds = std::uint64_t{1} << static_cast<unsigned>(work);
  const std::uint64_t memory = 128 * kBlocks * rounds + (std::uint64_t{1} << 20U);
  std::string key(kKeySize, '\0');
  Check(EVP_PBE_scrypt_ex(passphrase.data(), passphrase.size(),
                          reinterpret_cast<const unsigned char*>(salt.data()), salt.size(), rounds,
                          kBlocks, 1, memory, Bytes(key), key.size(), nullptr, nullptr) == 1,
        "cannot derive a key from a passphrase");
  return key;
}

}  // namespace pki
