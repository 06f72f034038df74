// SPDX-License-Identifier: Apache-2.0
#include "pki/cross_sign.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pki {
namespace {

constexpr std::chrono::sys_seconds kStart{std::chrono::seconds(1'767'225'600)};

KeyPair NewCa(std::chrono::hours validity) {
  PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  Certificate certificate = NewSelfSignedCa({.subject = {.common_name = "kubernetes"},
                                             .alt_names = {},
                                             .usages = {},
                                             .not_before = kStart,
                                             .not_after = kStart + validity},
                                            key);
  return {std::move(certificate), std::move(key)};
}

TEST(CrossSign, LetsClientsOfTheOldAuthorityTrustTheNewOne) {
  const KeyPair old = NewCa(std::chrono::hours(10));
  const KeyPair fresh = NewCa(std::chrono::hours(20));
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const Certificate leaf = Sign({.subject = {.common_name = "server"},
                                 .alt_names = {},
                                 .usages = {ExtendedKeyUsage::kServerAuth},
                                 .not_before = kStart,
                                 .not_after = kStart + std::chrono::hours(1)},
                                key.Public(), fresh);
  const Certificate cross = CrossSign(fresh.certificate, old);
  EXPECT_NE(ChainProblem(leaf, {old.certificate}, {}), std::nullopt);
  EXPECT_EQ(ChainProblem(leaf, {old.certificate}, {.intermediates = {cross}, .now = kStart}),
            std::nullopt);
  EXPECT_EQ(ChainProblem(leaf, {fresh.certificate}, {.intermediates = {cross}, .now = kStart}),
            std::nullopt);
  EXPECT_EQ(ChainProblem(leaf, {fresh.certificate, old.certificate}, {.intermediates = {cross}}),
            std::nullopt);
  EXPECT_TRUE(cross.is_ca());
  EXPECT_EQ(Pin(cross), Pin(fresh.certificate));
  EXPECT_EQ(cross.not_after(), old.certificate.not_after());
}

TEST(CrossSign, RequiresTheKeyOfTheSigner) {
  const KeyPair one = NewCa(std::chrono::hours(1));
  const KeyPair other = NewCa(std::chrono::hours(1));
  EXPECT_THROW(CrossSign(one.certificate, {one.certificate, other.key}), base::Error);
}

}  // namespace
}  // namespace pki
