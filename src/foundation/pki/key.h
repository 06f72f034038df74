// SPDX-License-Identifier: Apache-2.0
// Private keys (RSA, ECDSA, ML-DSA) and operations on them.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace pki {

// Algorithm of a new key, named as in ClusterConfiguration.encryptionAlgorithm.
enum class Algorithm {
  kRsa2048,
  kRsa3072,
  kRsa4096,
  kEcdsaP256,
  kEcdsaP384,
  kMlDsa44,  // FIPS 204
  kMlDsa65,
  kMlDsa87
};

// Parses "RSA-2048", "RSA-3072", "RSA-4096", "ECDSA-P256", "ECDSA-P384", "ML-DSA-44", "ML-DSA-65",
// "ML-DSA-87". For any other name, throws base::Error(kInvalid) with the list of supported names.
Algorithm ParseAlgorithm(std::string_view name);

// Returns whether the name of an algorithm ("ML-DSA-65") is that of a post-quantum one (FIPS 204).
bool IsMlDsa(std::string_view name);

// The public half of a PrivateKey, or the key of a certificate or request.
class PublicKey {
 public:
  // FromPem reads the first "PUBLIC KEY" (PKIX). Throws base::Error(kInvalid).
  static PublicKey FromPem(std::string_view pem);
  std::string Pem() const;  // PKIX, "PUBLIC KEY"
  std::string Der() const;  // SubjectPublicKeyInfo
  // Returns "RSA-2048", "ECDSA-P256", "ML-DSA-65", …: the family, then the size in bits, the curve
  // or the parameter set.
  std::string AlgorithmText() const;
  bool operator==(const PublicKey& other) const;

  struct Impl;
  explicit PublicKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// A key that can sign. Copies share the key, which is wiped with the last of them.
class PrivateKey {
 public:
  // Generates a new key. A stop request ends it early with base::Interrupted.
  static PrivateKey Generate(Algorithm algorithm, const std::stop_token& stop = {});
  // FromPem reads an RSA or ECDSA key in PKCS#1, SEC1 or PKCS#8. It also reads an ML-DSA key in
  // PKCS#8 with the seed only. Skips other blocks before the key. Throws base::Error(kInvalid).
  static PrivateKey FromPem(std::string_view pem);
  // Returns PKCS#1 ("RSA PRIVATE KEY", RFC 8017) for RSA, and SEC1 ("EC PRIVATE KEY", RFC 5915) for
  // ECDSA. For ML-DSA returns PKCS#8 with the seed only ("PRIVATE KEY", RFC 9881 §6).
  std::string Pem() const;
  PublicKey Public() const;

  struct Impl;
  explicit PrivateKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace pki
