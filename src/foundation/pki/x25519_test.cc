// SPDX-License-Identifier: Apache-2.0
#include "pki/x25519.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/strings.h"

namespace pki {
namespace {

TEST(X25519, AgreesOnTheSecretOfRfc7748) {  // RFC 7748 §6.1
  const std::string bob =
      base::HexDecode("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
  const std::string alice =
      base::HexDecode("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  EXPECT_EQ(base::HexEncode(X25519PublicKey(bob)),
            "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  EXPECT_EQ(base::HexEncode(X25519SharedSecret(bob, alice)),
            "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
}

TEST(X25519, RefusesAPublicKeyOfLowOrder) {
  EXPECT_THROW(X25519SharedSecret(NewX25519Key(), std::string(kX25519Size, '\0')), base::Error);
}

TEST(X25519, RefusesAKeyOfAnotherLength) {
  EXPECT_THROW(X25519PublicKey("short"), base::Error);
  EXPECT_THROW(X25519SharedSecret(NewX25519Key(), "short"), base::Error);
}

}  // namespace
}  // namespace pki
