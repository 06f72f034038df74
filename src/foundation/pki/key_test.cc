// SPDX-License-Identifier: Apache-2.0
#include "pki/key.h"

#include <gmock/gmock.h>
#include <openssl/core_names.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/strings.h"
#include "pki/openssl.h"
#include "pki/pem_text.h"

namespace pki {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct AlgorithmCase {
  Algorithm algorithm;
  std::string name;
  std::string label;  // of the private key's PEM block
};
const std::vector<AlgorithmCase>& Cases() {
  static const std::vector<AlgorithmCase> cases = {
      {Algorithm::kRsa2048, "RSA-2048", "RSA PRIVATE KEY"},
      {Algorithm::kRsa3072, "RSA-3072", "RSA PRIVATE KEY"},
      {Algorithm::kEcdsaP256, "ECDSA-P256", "EC PRIVATE KEY"},
      {Algorithm::kEcdsaP384, "ECDSA-P384", "EC PRIVATE KEY"},
      {Algorithm::kMlDsa44, "ML-DSA-44", "PRIVATE KEY"},
      {Algorithm::kMlDsa65, "ML-DSA-65", "PRIVATE KEY"},
      {Algorithm::kMlDsa87, "ML-DSA-87", "PRIVATE KEY"},
  };
  return cases;
}

std::vector<std::string> Labels(const std::string& pem) {
  std::vector<std::string> labels;
  ForEachPemBlock(pem, [&](const PemBlock& block) {
    labels.emplace_back(block.label);
    return true;
  });
  return labels;
}

std::string Pkcs8(const PrivateKey& key) {
  return WritePem([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, key.impl().key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr);
  });
}

TEST(KeyTest, EveryAlgorithmRoundTripsThroughPem) {
  for (const AlgorithmCase& c : Cases()) {
    const PrivateKey key = PrivateKey::Generate(c.algorithm);
    EXPECT_THAT(Labels(key.Pem()), testing::ElementsAre(c.label)) << c.name;
    EXPECT_EQ(PrivateKey::FromPem(key.Pem()).Pem(), key.Pem()) << c.name;
    if (!c.name.starts_with("ML-DSA-")) {
      EXPECT_EQ(PrivateKey::FromPem(Pkcs8(key)).Pem(), key.Pem()) << c.name << " as PKCS#8";
    }
    EXPECT_EQ(key.Public().AlgorithmText(), c.name);
    EXPECT_TRUE(PublicKey::FromPem(key.Public().Pem()) == key.Public()) << c.name;
  }
}

// The form of RFC 9881 §6: version 0, the algorithm without parameters, the seed of 32 bytes under
// [0].
TEST(KeyTest, MlDsaKeysAreWrittenAsTheirSeedAlone) {
  const std::pair<Algorithm, char> cases[] = {
      {Algorithm::kMlDsa44, '\x11'}, {Algorithm::kMlDsa65, '\x12'}, {Algorithm::kMlDsa87, '\x13'}};
  for (const auto& [algorithm, last] : cases) {
    std::string der;
    const std::string pem = PrivateKey::Generate(algorithm).Pem();
    ForEachPemBlock(pem, [&](const PemBlock& block) {
      der = block.bytes;
      return false;
    });
    const std::string head =
        std::string("\x30\x34\x02\x01\x00\x30\x0B\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03", 17) +
        last + "\x04\x22\x80\x20";
    EXPECT_EQ(der.size(), 54U);
    EXPECT_EQ(der.substr(0, head.size()), head);
  }
}

TEST(KeyTest, RefusesMlDsaKeysInFormsThatGoDoesNotRead) {
  const PrivateKey key = PrivateKey::Generate(Algorithm::kMlDsa65);
  EXPECT_THAT(base::MessageOf([&] { PrivateKey::FromPem(Pkcs8(key)); }),
              HasSubstr("must be its seed alone"));
}

// OpenSSL's own check tests the primes again and that all eight numbers of a key are consistent.
TEST(KeyTest, NewKeysPassOpenSslsCheck) {
  for (const AlgorithmCase& c : Cases()) {
    for (int i = 0; i < 3; ++i) {
      const PrivateKey key = PrivateKey::Generate(c.algorithm);
      const EvpPkeyCtxPtr context(
          EVP_PKEY_CTX_new_from_pkey(nullptr, key.impl().key.get(), nullptr));
      EXPECT_EQ(EVP_PKEY_check(context.get()), 1) << c.name;
    }
  }
}

TEST(KeyTest, RsaKeysHaveTheUsualExponentAndFullLength) {
  const PrivateKey key = PrivateKey::Generate(Algorithm::kRsa2048);
  BIGNUM* number = nullptr;
  ASSERT_EQ(EVP_PKEY_get_bn_param(key.impl().key.get(), "e", &number), 1);
  const BnPtr e(number);
  number = nullptr;
  ASSERT_EQ(EVP_PKEY_get_bn_param(key.impl().key.get(), "n", &number), 1);
  const BnPtr n(number);
  EXPECT_EQ(BN_get_word(e.get()), 65537U);
  EXPECT_EQ(BN_num_bits(n.get()), 2048);
}

TEST(KeyTest, KeysDiffer) {
  EXPECT_FALSE(PrivateKey::Generate(Algorithm::kRsa2048).Public() ==
               PrivateKey::Generate(Algorithm::kRsa2048).Public());
  EXPECT_FALSE(PrivateKey::Generate(Algorithm::kEcdsaP256).Public() ==
               PrivateKey::Generate(Algorithm::kRsa2048).Public());
}

TEST(KeyTest, ARequestToStopEndsTheSearchForPrimes) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(
      base::InterruptionOf([&] { PrivateKey::Generate(Algorithm::kRsa4096, source.get_token()); }),
      "interrupted while generating a key");
}

TEST(KeyTest, SkipsOtherBlocksBeforeAKey) {
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const std::string before =
      "a comment\n-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n"
      "-----END EC PARAMETERS-----\n";
  const std::string damaged = "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n";
  EXPECT_EQ(PrivateKey::FromPem(before + damaged + key.Pem()).Pem(), key.Pem());
}

TEST(KeyTest, RefusesInvalidKeys) {
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const EvpPkeyPtr edwards(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  const std::string edwards_pem = WritePem([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, edwards.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  const EvpPkeyPtr rsa(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}));
  const std::string pkcs8 = base::ReplaceAll(
      WritePem([&](BIO* out) {
        return PEM_write_bio_PKCS8PrivateKey(out, rsa.get(), nullptr, nullptr, 0, nullptr, nullptr);
      }),
      "PRIVATE", "RSA PRIVATE");
  const std::pair<const char*, std::string> cases[] = {
      {"empty", ""},
      {"no PEM", "hello\n"},
      {"a public key", key.Public().Pem()},
      {"nothing inside", "-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n"},
      {"cut short", key.Pem().substr(0, 80)},
      {"Ed25519", edwards_pem},
      {"PKCS#8 under PKCS#1's label", pkcs8},
  };
  for (const auto& [name, text] : cases) {
    EXPECT_THROW(PrivateKey::FromPem(text), base::Error) << name;
  }
  EXPECT_THROW(PublicKey::FromPem(key.Pem()), base::Error);
}

TEST(KeyTest, RefusesADamagedKey) {
  for (const Algorithm algorithm : {Algorithm::kRsa2048, Algorithm::kEcdsaP256}) {
    const PrivateKey key = PrivateKey::Generate(algorithm);
    const std::string pem = key.Pem();
    int damaged = 0;
    for (std::size_t at = pem.find('\n') + 1; at < pem.find("\n-----END"); at += 3) {
      std::string changed = pem;
      changed[at] = pem[at] == 'A' ? 'B' : 'A';
      const std::string message = base::MessageOf([&] {
        EXPECT_EQ(PrivateKey::FromPem(changed).Pem(), pem) << at;  // bits outside the key
      });
      damaged += message.contains("damaged") ? 1 : 0;
    }
    EXPECT_GT(damaged, 10);
  }
}

// The control plane uses Go's crypto/x509, which accepts only these curves.
TEST(KeyTest, AcceptsOnlyTheCurvesOfGoAndOnlyByName) {
  struct Case {
    const char* curve;
    const char* encoding;
    bool usable;
  };
  for (const Case& c : {Case{"P-224", OSSL_PKEY_EC_ENCODING_GROUP, true},
                        Case{"P-256", OSSL_PKEY_EC_ENCODING_GROUP, true},
                        Case{"P-521", OSSL_PKEY_EC_ENCODING_GROUP, true},
                        Case{"P-256", OSSL_PKEY_EC_ENCODING_EXPLICIT, false},
                        Case{"P-192", OSSL_PKEY_EC_ENCODING_GROUP, false},
                        Case{"secp256k1", OSSL_PKEY_EC_ENCODING_GROUP, false},
                        Case{"brainpoolP256r1", OSSL_PKEY_EC_ENCODING_GROUP, false}}) {
    const EvpPkeyPtr key(EVP_EC_gen(c.curve));
    ASSERT_EQ(EVP_PKEY_set_utf8_string_param(key.get(), OSSL_PKEY_PARAM_EC_ENCODING, c.encoding),
              1);
    const std::string text = WritePem([&](BIO* out) {
      return PEM_write_bio_PrivateKey_traditional(out, key.get(), nullptr, nullptr, 0, nullptr,
                                                  nullptr);
    });
    const std::string half =
        WritePem([&](BIO* out) { return PEM_write_bio_PUBKEY(out, key.get()); });
    if (c.usable) {
      EXPECT_EQ(PrivateKey::FromPem(text).Public().Pem(), half) << c.curve;
      EXPECT_EQ(PublicKey::FromPem(half).Pem(), half) << c.curve;
    } else {
      EXPECT_THROW(PrivateKey::FromPem(text), base::Error) << c.curve;
      EXPECT_THROW(PublicKey::FromPem(half), base::Error) << c.curve;
    }
  }
}

TEST(KeyTest, AlgorithmsHaveTheNamesOfTheApi) {
  for (const AlgorithmCase& c : Cases()) {
    EXPECT_EQ(ParseAlgorithm(c.name), c.algorithm);
  }
  EXPECT_EQ(ParseAlgorithm("RSA-4096"), Algorithm::kRsa4096);
  for (const char* name : {"", "rsa-2048", "RSA-1024", "ECDSA-P521", "ED25519"}) {
    const base::Error error = base::Thrown([&] { ParseAlgorithm(name); });
    EXPECT_THAT(error.message(), HasSubstr("ECDSA-P384")) << name;
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
  }
}

}  // namespace
}  // namespace pki
