// SPDX-License-Identifier: Apache-2.0
#include "pki/key_pool.h"

#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <string>

namespace pki {
namespace {

TEST(KeyPoolTest, GivesEachCallerADifferentKey) {
  KeyPool pool({.algorithm = Algorithm::kEcdsaP256, .count = 6, .workers = 3});
  std::mutex mutex;
  std::set<std::string> keys;
  {
    std::vector<std::jthread> takers;
    for (int i = 0; i < 9; ++i) {  // three more than were ordered
      takers.emplace_back([&] {
        const PrivateKey key = pool.Take();
        const std::lock_guard lock(mutex);
        keys.insert(key.Pem());
      });
    }
  }
  EXPECT_EQ(keys.size(), 9U);
}

TEST(KeyPoolTest, GeneratesKeysOfTheRequestedAlgorithm) {
  KeyPool pool({.algorithm = Algorithm::kEcdsaP384, .count = 1, .workers = 1});
  EXPECT_EQ(pool.Take().Public().AlgorithmText(), "ECDSA-P384");  // generated in advance
  EXPECT_EQ(pool.Take().Public().AlgorithmText(), "ECDSA-P384");  // generated on demand
}

TEST(KeyPoolTest, AnUnusedPoolEndsWithoutGeneratingAllKeys) {
  // Generating 4,000 keys would take most of an hour, so the destructor must stop the workers.
  const auto begin = std::chrono::steady_clock::now();
  {
    const KeyPool pool({.algorithm = Algorithm::kRsa4096, .count = 4000, .workers = 2});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

}  // namespace
}  // namespace pki
