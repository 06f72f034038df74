// SPDX-License-Identifier: Apache-2.0
#include "pki/openssl.h"

#include <openssl/core_names.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <string>

namespace pki {

void FailOpenSsl(base::Error::Kind kind, std::string_view what) {
  std::string message(what);
  if (const char* reason = ERR_reason_error_string(ERR_peek_last_error())) {
    message += ": ";
    message += reason;
  }
  ERR_clear_error();
  throw base::Error(kind, std::move(message));
}

namespace {

// Returns a string parameter of the key; "" if the key lacks it.
std::string TextOf(const EVP_PKEY* key, const char* parameter) {
  std::array<char, 64> text{};
  std::size_t size = 0;
  const bool has =
      EVP_PKEY_get_utf8_string_param(key, parameter, text.data(), text.size(), &size) == 1;
  ERR_clear_error();
  return has ? std::string(text.data(), size) : "";
}

// Returns whether the key is on a curve of Go's crypto/elliptic, given by its name (RFC 5480
// §2.1.1). OpenSSL also recognizes such a curve by explicit parameters, but Go does not.
bool HasCurveOfGo(const EVP_PKEY* key) {
  constexpr std::array<std::string_view, 4> kCurves{"secp224r1", "prime256v1", "secp384r1",
                                                    "secp521r1"};
  return std::ranges::find(kCurves, TextOf(key, OSSL_PKEY_PARAM_GROUP_NAME)) != kCurves.end() &&
         TextOf(key, OSSL_PKEY_PARAM_EC_ENCODING) == OSSL_PKEY_EC_ENCODING_GROUP;
}

}  // namespace

std::string WritePem(const std::function<int(BIO*)>& write) {
  const BioPtr bio(BIO_new(BIO_s_secmem()));
  Check(bio != nullptr && write(bio.get()) == 1, "cannot write a PEM text");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

bool IsMlDsa(const EVP_PKEY* key) {
  return std::ranges::any_of(std::array{"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"},
                             [&](const char* name) { return EVP_PKEY_is_a(key, name) == 1; });
}

bool IsSupportedKey(const EVP_PKEY* key) {
  return EVP_PKEY_is_a(key, "RSA") == 1 || (EVP_PKEY_is_a(key, "EC") == 1 && HasCurveOfGo(key)) ||
         IsMlDsa(key);
}

const EVP_MD* SignatureDigest(const EVP_PKEY* key) {
  if (IsMlDsa(key)) {
    return nullptr;
  }
  if (EVP_PKEY_is_a(key, "EC") != 1 || EVP_PKEY_get_bits(key) <= 256) {
    return EVP_sha256();
  }
  return EVP_PKEY_get_bits(key) <= 384 ? EVP_sha384() : EVP_sha512();
}

}  // namespace pki
