// SPDX-License-Identifier: Apache-2.0
#include "pki/key_derivation.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/strings.h"

namespace pki {
namespace {

TEST(HkdfSha256, DerivesTheKeyOfRfc5869) {  // appendix A.1
  const std::string key =
      HkdfSha256(std::string(22, '\x0b'), {.salt = base::HexDecode("000102030405060708090a0b0c"),
                                           .info = base::HexDecode("f0f1f2f3f4f5f6f7f8f9")});
  EXPECT_EQ(base::HexEncode(key),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
}

TEST(HkdfSha256, AcceptsAnEmptySalt) {
  EXPECT_NE(HkdfSha256("secret", {.salt = {}, .info = "a"}),
            HkdfSha256("secret", {.salt = {}, .info = "b"}));
}

TEST(Scrypt, DerivesTheKeyOfRfc7914) {  // RFC 7914 §12, its first 32 bytes
  EXPECT_EQ(base::HexEncode(Scrypt("pleaseletmein", "SodiumChloride", 14)),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2");
}

TEST(Scrypt, RefusesAWorkFactorThatExhaustsTheMemory) {
  EXPECT_THROW(Scrypt("passphrase", "salt", kMostScryptWork + 1), base::Error);
  EXPECT_THROW(Scrypt("passphrase", "salt", 0), base::Error);
}

TEST(RandomBytes, DifferEachTime) {
  EXPECT_EQ(RandomBytes(16).size(), 16U);
  EXPECT_NE(RandomBytes(16), RandomBytes(16));
}

}  // namespace
}  // namespace pki
