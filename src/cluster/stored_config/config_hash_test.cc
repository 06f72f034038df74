// SPDX-License-Identifier: Apache-2.0
#include "stored_config/config_hash.h"

#include <gmock/gmock.h>

#include "kube/objects.h"

namespace stored_config {
namespace {

TEST(ConfigHash, CoversDataThenBinaryDataByKey) {
  json::Value map = kube::ConfigMap({"n", "m"}, {{"b", "2"}, {"a", "1"}});
  // sha256 of "12", and of "123".
  EXPECT_EQ(ConfigHash(map),
            "sha256:6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918");
  map["binaryData"]["a"] = "Mw==";
  EXPECT_EQ(ConfigHash(map),
            "sha256:a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3");
}

}  // namespace
}  // namespace stored_config
