// SPDX-License-Identifier: Apache-2.0
#include "pki/key_memory.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <cstdlib>
#include <vector>

#include "pki/key_pool.h"

namespace pki {
namespace {

// Runs in a child process, because the memory stays allocated.
TEST(KeyMemory, HasRoomForManyMoreKeysThanANodeNeeds) {
  EXPECT_EXIT(
      {
        LockKeyMemory();
        std::vector<PrivateKey> keys;
        KeyPool pool({.count = 40, .workers = 40});
        for (int i = 0; i < 40; ++i) {
          keys.push_back(pool.Take());
        }
        keys.push_back(PrivateKey::Generate(Algorithm::kEcdsaP384));
        keys.push_back(PrivateKey::FromPem(keys.front().Pem()));
        const std::size_t used = CRYPTO_secure_used();
        std::_Exit(used > 40 * 1'000 && used < (1 << 20) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(KeyMemory, IsReleasedWithTheKeys) {
  EXPECT_EXIT(
      {
        LockKeyMemory();
        for (int i = 0; i < 3'000; ++i) {
          PrivateKey::Generate(Algorithm::kEcdsaP256);
        }
        std::_Exit(CRYPTO_secure_used() < 64 * 1024 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pki
