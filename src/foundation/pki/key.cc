// SPDX-License-Identifier: Apache-2.0
#include "pki/key.h"

#include <fmt/core.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "pki/der.h"
#include "pki/openssl.h"
#include "pki/pem_text.h"
#include "pki/rsa.h"

namespace pki {
namespace {

using namespace std::string_view_literals;

struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view name;
  int rsa_bits;       // 0: not RSA
  const char* curve;  // name of an ECDSA key's curve; null for others
};
constexpr AlgorithmRow kAlgorithms[] = {
    {Algorithm::kRsa2048, "RSA-2048", 2048, nullptr},
    {Algorithm::kRsa3072, "RSA-3072", 3072, nullptr},
    {Algorithm::kRsa4096, "RSA-4096", 4096, nullptr},
    {Algorithm::kEcdsaP256, "ECDSA-P256", 0, "P-256"},
    {Algorithm::kEcdsaP384, "ECDSA-P384", 0, "P-384"},
    {Algorithm::kMlDsa44, "ML-DSA-44", 0, nullptr},
    {Algorithm::kMlDsa65, "ML-DSA-65", 0, nullptr},
    {Algorithm::kMlDsa87, "ML-DSA-87", 0, nullptr},
};

const AlgorithmRow& RowOf(Algorithm algorithm) {
  for (const AlgorithmRow& row : kAlgorithms) {
    if (row.algorithm == algorithm) {
      return row;
    }
  }
  throw base::Error("unknown key algorithm");
}

constexpr std::size_t kSeedBytes = 32;   // FIPS 204, algorithm 1
constexpr std::uint8_t kSeedTag = 0x80;  // [0] IMPLICIT OCTET STRING

bool IsMlDsaOid(std::string_view oid) {
  constexpr std::array kOids{"2.16.840.1.101.3.4.3.17"sv, "2.16.840.1.101.3.4.3.18"sv,
                             "2.16.840.1.101.3.4.3.19"sv};
  return std::ranges::contains(kOids, oid);
}

// Throws base::Error(kInvalid) unless an ML-DSA key is stored as its seed only. RFC 9881 §6 also
// allows two other forms, the expanded key and both together. Go reads neither.
void RequireSeed(std::string_view key) {
  if (key.size() != 2 + kSeedBytes || static_cast<std::uint8_t>(key[0]) != kSeedTag ||
      key[1] != static_cast<char>(kSeedBytes)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "an ML-DSA key must be its seed alone, the only form that Kubernetes reads");
  }
}

// Throws base::Error(kInvalid) unless a key is DER and its version field matches its PEM label. Go
// requires both (RFC 8017 §A.1.2, RFC 5915 §3, RFC 5208 §5).
void RequireStrict(std::string_view label, std::string_view der) {
  der::RequireCanonical(der);
  der::Reader whole(der);
  der::Reader parts(whole.Take(der::kSequence, "a key").content);
  const std::string_view version = parts.Take(der::kInteger, "a key's version").content;
  if (label == "PRIVATE KEY") {
    der::Reader algorithm(parts.Take(der::kSequence, "a key's algorithm").content);
    const std::string type = der::OidText(algorithm.Take(der::kOid, "a key's algorithm").content);
    const std::string_view key = parts.Take(der::kOctetString, "a key").content;
    if (IsMlDsaOid(type)) {
      RequireSeed(key);
      return;
    }
    const bool is_rsa = type == "1.2.840.113549.1.1.1";
    RequireStrict(is_rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY", key);
  } else if (version != (label == "EC PRIVATE KEY" ? "\1"sv : "\0"sv)) {
    throw base::Error(base::Error::Kind::kInvalid, "the key has an unsupported version");
  } else if (label == "RSA PRIVATE KEY") {
    parts.Take(der::kInteger, "a key's modulus");  // fails for PKCS#8 under this label
  }
}

constexpr std::string_view kKeyLabels[] = {"RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"};

// Decodes a block with one of these labels.
EvpPkeyPtr DecodePrivateKey(std::string_view label, std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const long size = static_cast<long>(der.size());
  if (label == "RSA PRIVATE KEY") {
    return EvpPkeyPtr(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &bytes, size));
  }
  if (label == "EC PRIVATE KEY") {
    return EvpPkeyPtr(d2i_PrivateKey(EVP_PKEY_EC, nullptr, &bytes, size));
  }
  const Pkcs8Ptr wrapped(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &bytes, size));
  return EvpPkeyPtr(wrapped != nullptr ? EVP_PKCS82PKEY(wrapped.get()) : nullptr);
}

// Writes an ML-DSA key as PKCS#8 with the seed only. OpenSSL's own encoder adds the expanded key
// unless its provider is configured otherwise.
std::string SeedPem(const EVP_PKEY& key) {
  std::array<unsigned char, kSeedBytes> seed{};
  std::size_t size = 0;
  const bool has_seed = EVP_PKEY_get_octet_string_param(&key, OSSL_PKEY_PARAM_ML_DSA_SEED,
                                                        seed.data(), seed.size(), &size) == 1 &&
                        size == seed.size();
  Check(has_seed, "cannot take the seed of an ML-DSA key");
  auto* wrapped = static_cast<unsigned char*>(OPENSSL_malloc(2 + kSeedBytes));
  const Pkcs8Ptr info(PKCS8_PRIV_KEY_INFO_new());
  Check(wrapped != nullptr && info != nullptr, "cannot encode a key");
  wrapped[0] = kSeedTag;
  wrapped[1] = kSeedBytes;
  std::ranges::copy(seed, wrapped + 2);
  OPENSSL_cleanse(seed.data(), seed.size());
  // The encoding owns `wrapped` from here on, and wipes it.
  Check(PKCS8_pkey_set0(info.get(), OBJ_txt2obj(EVP_PKEY_get0_type_name(&key), 0), 0, V_ASN1_UNDEF,
                        nullptr, wrapped, 2 + kSeedBytes) == 1,
        "cannot encode a key");
  return WritePem([&](BIO* out) { return PEM_write_bio_PKCS8_PRIV_KEY_INFO(out, info.get()); });
}

// Returns whether the numbers of a private key are consistent.
bool HasFittingNumbers(EVP_PKEY& key) {
  if (EVP_PKEY_is_a(&key, "RSA") == 1) {
    return IsWholeRsaKey(key);
  }
  const EvpPkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, &key, nullptr));
  return context != nullptr && EVP_PKEY_pairwise_check(context.get()) == 1;
}

// Throws base::Error(kInvalid) for a key that OpenSSL accepts, but that Go refuses or reads as
// another key. Go clients would refuse signatures of such a key.
void RequireWhole(const PemBlock& block, EVP_PKEY& key) {
  std::string flaw = "its numbers do not belong together";
  try {
    RequireStrict(block.label, block.bytes);
    if (!IsSupportedKey(&key) || HasFittingNumbers(key)) {
      return;
    }
  } catch (const base::Error& error) {
    flaw = error.message();
  }
  ERR_clear_error();
  throw base::Error(base::Error::Kind::kInvalid, "the private key is damaged: " + flaw);
}

// Returns a separate object with the public key only. Copies the numbers of the key: encoding and
// decoding them would take ten times as long.
EvpPkeyPtr PublicHalf(EVP_PKEY& key) {
  OSSL_PARAM* numbers = nullptr;
  Check(EVP_PKEY_todata(&key, EVP_PKEY_PUBLIC_KEY, &numbers) == 1, "cannot take a public key out");
  const ParamsPtr owner(numbers);
  const EvpPkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, &key, nullptr));
  EVP_PKEY* half = nullptr;
  Check(context != nullptr && EVP_PKEY_fromdata_init(context.get()) == 1 &&
            EVP_PKEY_fromdata(context.get(), &half, EVP_PKEY_PUBLIC_KEY, numbers) == 1,
        "cannot make a public key");
  return EvpPkeyPtr(half);
}

}  // namespace

bool IsMlDsa(std::string_view name) { return name.starts_with("ML-DSA-"); }

Algorithm ParseAlgorithm(std::string_view name) {
  for (const AlgorithmRow& row : kAlgorithms) {
    if (row.name == name) {
      return row.algorithm;
    }
  }
  throw base::Error(
      base::Error::Kind::kInvalid,
      fmt::format("unknown encryption algorithm \"{}\"; there are RSA-2048, RSA-3072, RSA-4096, "
                  "ECDSA-P256, ECDSA-P384, ML-DSA-44, ML-DSA-65 and ML-DSA-87",
                  name));
}

PublicKey PublicKey::FromPem(std::string_view pem) {
  EvpPkeyPtr key;
  ForEachPemBlock(pem, [&](const PemBlock& block) {
    if (block.label != "PUBLIC KEY") {
      return true;
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(block.bytes.data());
    key.reset(d2i_PUBKEY(nullptr, &bytes, static_cast<long>(block.bytes.size())));
    return false;
  });
  ERR_clear_error();
  if (key == nullptr || !IsSupportedKey(key.get())) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "there is no valid RSA, ECDSA or ML-DSA public key");
  }
  return PublicKey(std::make_shared<const Impl>(Impl{std::move(key)}));
}

std::string PublicKey::Pem() const {
  return WritePem([&](BIO* out) { return PEM_write_bio_PUBKEY(out, impl_->key.get()); });
}

std::string PublicKey::Der() const {
  unsigned char* out = nullptr;
  const int size = i2d_PUBKEY(impl_->key.get(), &out);
  const BytesPtr owner(out);
  Check(size > 0, "cannot encode a public key");
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
}

std::string PublicKey::AlgorithmText() const {
  if (IsMlDsa(impl_->key.get())) {
    return EVP_PKEY_get0_type_name(impl_->key.get());
  }
  const bool rsa = EVP_PKEY_is_a(impl_->key.get(), "RSA") == 1;
  return fmt::format("{}{}", rsa ? "RSA-" : "ECDSA-P", EVP_PKEY_get_bits(impl_->key.get()));
}

bool PublicKey::operator==(const PublicKey& other) const {
  const bool equal = EVP_PKEY_eq(impl_->key.get(), other.impl_->key.get()) == 1;
  ERR_clear_error();
  return equal;
}

PrivateKey PrivateKey::Generate(Algorithm algorithm, const std::stop_token& stop) {
  const AlgorithmRow& row = RowOf(algorithm);
  EvpPkeyPtr key;
  if (row.rsa_bits != 0) {
    key = NewRsaKey(row.rsa_bits, stop);
  } else if (row.curve != nullptr) {
    key.reset(EVP_EC_gen(row.curve));
  } else {
    key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, std::string(row.name).c_str()));
  }
  Check(key != nullptr, "cannot make a key");
  return PrivateKey(std::make_shared<const Impl>(Impl{std::move(key)}));
}

PrivateKey PrivateKey::FromPem(std::string_view pem) {
  EvpPkeyPtr key;
  ForEachPemBlock(pem, [&](const PemBlock& block) {
    if (std::ranges::find(kKeyLabels, block.label) == std::end(kKeyLabels)) {
      return true;
    }
    key = DecodePrivateKey(block.label, block.bytes);
    if (key != nullptr) {
      RequireWhole(block, *key);
    }
    return false;  // another reader might accept it even if it is damaged
  });
  ERR_clear_error();
  if (key == nullptr || !IsSupportedKey(key.get())) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "there is no valid RSA, ECDSA or ML-DSA private key");
  }
  return PrivateKey(std::make_shared<const Impl>(Impl{std::move(key)}));
}

std::string PrivateKey::Pem() const {
  if (IsMlDsa(impl_->key.get())) {
    return SeedPem(*impl_->key);
  }
  return WritePem([&](BIO* out) {
    return PEM_write_bio_PrivateKey_traditional(out, impl_->key.get(), nullptr, nullptr, 0, nullptr,
                                                nullptr);
  });
}

PublicKey PrivateKey::Public() const {
  return PublicKey(
      std::make_shared<const PublicKey::Impl>(PublicKey::Impl{PublicHalf(*impl_->key)}));
}

}  // namespace pki
