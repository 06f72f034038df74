// SPDX-License-Identifier: Apache-2.0
#include "upgrade/gate_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::vector<std::string> NoticesOf(std::string version, std::map<std::string, bool> gates) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = std::move(version);
  cluster.feature_gates = std::move(gates);
  return GateNotices(cluster);
}

TEST(GateNotices, WarnOfDeprecatedAndRemovedGates) {
  EXPECT_THAT(NoticesOf("v1.36.3", {{"PublicKeysECDSA", true}, {"NoSuchGate", false}}),
              ElementsAre(StartsWith("Unknown feature gate flag: NoSuchGate"),
                          StartsWith("feature gate PublicKeysECDSA is deprecated")));
  EXPECT_THAT(NoticesOf("v1.37.2", {{"PublicKeysECDSA", true}}),
              ElementsAre(StartsWith("Unknown feature gate flag: PublicKeysECDSA")));
  EXPECT_THAT(NoticesOf("v1.37.2", {{"RootlessControlPlane", true}}), ElementsAre());
}

}  // namespace
}  // namespace upgrade
