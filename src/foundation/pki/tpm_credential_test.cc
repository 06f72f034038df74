// SPDX-License-Identifier: Apache-2.0
#include "pki/tpm_credential.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/strings.h"

namespace pki {
namespace {

// Public areas by swtpm and tpm2-tools: `tpm2_createak -G ecc -g sha256 -s ecdsa`, with its name,
// and `tpm2_create -G ecc`. tests/api/test_approver_tpm.py opens credentials with a TPM.
constexpr const char* kAttestationKey =
    "00580023000b00050072000000100018000b000300100020672efd68001941c398796bd5a0224406fa4ff7ab39efd5"
    "5d064f6e92e69dbb410020af9d96da8486448a9547fda32a8e45c729bc0e76f51c65069be15cb3e222ce10";
constexpr const char* kAttestationKeyName =
    "000b54e17de6c29fe562810100c29921bea8910e5780bf2f6628d441f3e14d1b4b9b";
constexpr const char* kOtherKey =
    "00560023000b00060072000000100010000300100020ae26ab598119ed8e78e5aba7d3c04fb6686623c54b8a49f35d"
    "e51eb4ec28d0900020665585c160d1c2e8522b5231cc8702706bf5a307c70ec80473ee8b26a9223570";

std::string Bytes(const std::string& hex) { return base::HexDecode(hex); }

TEST(TpmObject, HasTheNameThatTheTpmComputes) {
  const TpmObject object = ReadTpmObject(Bytes(kAttestationKey));
  EXPECT_EQ(base::HexEncode(object.name), kAttestationKeyName);
  EXPECT_EQ(object.attributes, 0x00050072U);
}

TEST(TpmObject, IsAnAttestationKeyIfItSignsOnlyContentOfTheTpm) {
  EXPECT_TRUE(IsAttestationKey(ReadTpmObject(Bytes(kAttestationKey))));
  EXPECT_FALSE(IsAttestationKey(ReadTpmObject(Bytes(kOtherKey))));
  for (const std::uint32_t bit : {1U, 4U, 5U, 16U, 18U}) {
    TpmObject object = ReadTpmObject(Bytes(kAttestationKey));
    object.attributes &= ~(1U << bit);
    EXPECT_FALSE(IsAttestationKey(object)) << bit;
  }
}

TEST(TpmObject, RefusesMalformedContent) {
  const std::string good = Bytes(kAttestationKey);
  std::string other_hash = good;
  other_hash[5] = '\x0C';
  for (const std::string& bad :
       {std::string(), std::string("x"), good + "x", good.substr(0, good.size() - 1),
        std::string("\x00\x02xx", 4), other_hash}) {
    EXPECT_THROW(ReadTpmObject(bad), base::Error);
  }
}

TEST(ProtectCredential, HasTheSizesOfItsParts) {
  const PublicKey key = PrivateKey::Generate(Algorithm::kRsa2048).Public();
  const std::string name = Bytes(kAttestationKeyName);
  const TpmCredential credential = ProtectCredential(key, name, std::string(32, 's'));
  EXPECT_EQ(credential.id_object.size(), 2 + 32 + 2 + 32);
  EXPECT_EQ(credential.id_object.substr(0, 2), std::string("\0\x20", 2));
  EXPECT_EQ(credential.encrypted_secret.size(), 256);
  const TpmCredential second = ProtectCredential(key, name, std::string(32, 's'));
  EXPECT_NE(second.id_object, credential.id_object) << "the seed is random";
}

TEST(ProtectCredential, RefusesOtherKeysAndLongSecrets) {
  const PublicKey rsa = PrivateKey::Generate(Algorithm::kRsa2048).Public();
  const PublicKey ecdsa = PrivateKey::Generate(Algorithm::kEcdsaP256).Public();
  EXPECT_THROW(ProtectCredential(ecdsa, "name", "secret"), base::Error);
  EXPECT_THROW(ProtectCredential(rsa, "name", std::string(33, 's')), base::Error);
}

}  // namespace
}  // namespace pki
