// SPDX-License-Identifier: Apache-2.0
// OpenSSL helpers of this library: owners of its objects, errors. No other library may include
// this.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace pki {

template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

// Returns the bytes of a string in OpenSSL's type.
inline const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
inline unsigned char* Bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

inline void FreeBytes(void* bytes) { OPENSSL_free(bytes); }

using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using BnPtr = std::unique_ptr<BIGNUM, Deleter<BN_clear_free>>;
using BytesPtr = std::unique_ptr<unsigned char, Deleter<FreeBytes>>;
using CipherCtxPtr = std::unique_ptr<EVP_CIPHER_CTX, Deleter<EVP_CIPHER_CTX_free>>;
using EvpPkeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using EvpPkeyCtxPtr = std::unique_ptr<EVP_PKEY_CTX, Deleter<EVP_PKEY_CTX_free>>;
using ParamsPtr = std::unique_ptr<OSSL_PARAM, Deleter<OSSL_PARAM_free>>;
using Pkcs8Ptr = std::unique_ptr<PKCS8_PRIV_KEY_INFO, Deleter<PKCS8_PRIV_KEY_INFO_free>>;
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;
using X509ReqPtr = std::unique_ptr<X509_REQ, Deleter<X509_REQ_free>>;

struct PublicKey::Impl {
  EvpPkeyPtr key;
};
struct PrivateKey::Impl {
  EvpPkeyPtr key;
};
struct Certificate::Impl {
  X509Ptr x509;
};

// Throws base::Error(kind) "what: <OpenSSL's reason>" and empties OpenSSL's error queue.
[[noreturn]] void FailOpenSsl(base::Error::Kind kind, std::string_view what);

// Throws base::Error(kOther) unless `succeeded`. For calls that fail only without memory or
// randomness.
inline void Check(bool succeeded, std::string_view what) {
  if (!succeeded) {
    FailOpenSsl(base::Error::Kind::kOther, what);
  }
}

// Runs `write` on a memory BIO and returns the result.
std::string WritePem(const std::function<int(BIO*)>& write);

// Returns whether the key is of one of the three parameter sets of FIPS 204.
bool IsMlDsa(const EVP_PKEY* key);

// Returns whether Kubernetes can sign with it: RSA, ECDSA on the curves of Go, ML-DSA since v1.38.
bool IsSupportedKey(const EVP_PKEY* key);

// Returns SHA-384 for a P-384 key, SHA-512 for P-521, and SHA-256 for every other key. Returns
// nullptr for an ML-DSA key, because ML-DSA includes its own hash (RFC 9881 §3).
const EVP_MD* SignatureDigest(const EVP_PKEY* key);

}  // namespace pki
