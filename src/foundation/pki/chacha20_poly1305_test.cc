// SPDX-License-Identifier: Apache-2.0
#include "pki/chacha20_poly1305.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pki {
namespace {

const std::string kKey(ChaCha20Poly1305::kKeySize, 'k');
const std::string kNonce(ChaCha20Poly1305::kNonceSize, 'n');

TEST(ChaCha20Poly1305, OpensTextThatItSealed) {
  ChaCha20Poly1305 cipher(kKey);
  for (const std::string& text : {std::string("text"), std::string(), std::string(65536, 'x')}) {
    const std::string sealed = cipher.Seal(kNonce, text);
    EXPECT_EQ(sealed.size(), text.size() + ChaCha20Poly1305::kTagSize);
    EXPECT_EQ(cipher.Open(kNonce, sealed), text);
  }
}

TEST(ChaCha20Poly1305, RefusesAChangedText) {
  ChaCha20Poly1305 cipher(kKey);
  const std::string sealed = cipher.Seal(kNonce, "text");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(cipher.Open(kNonce, changed)) << i;
  }
  EXPECT_FALSE(cipher.Open(kNonce, "short"));
  EXPECT_FALSE(cipher.Open(std::string(ChaCha20Poly1305::kNonceSize, 'm'), sealed));
  EXPECT_FALSE(ChaCha20Poly1305(std::string(ChaCha20Poly1305::kKeySize, 'l')).Open(kNonce, sealed));
}

TEST(ChaCha20Poly1305, RefusesAKeyOrNonceOfAnotherLength) {
  EXPECT_THROW(ChaCha20Poly1305("short"), base::Error);
  EXPECT_THROW(ChaCha20Poly1305(kKey).Seal("short", "text"), base::Error);
}

}  // namespace
}  // namespace pki
