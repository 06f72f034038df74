// SPDX-License-Identifier: Apache-2.0
#include "releases/dropped.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "releases/releases.h"

namespace releases {
namespace {

TEST(Dropped, HasARowForEveryReleaseButTheOldest) {
  ASSERT_EQ(AllDropped().size() + 1, All().size());
  for (std::size_t i = 0; i < AllDropped().size(); ++i) {
    EXPECT_EQ(AllDropped()[i].minor, All()[i + 1].minor);
  }
}

TEST(Dropped, ReportsUnreadableFactsAsUnknown) {
  for (const Dropped& row : AllDropped()) {
    for (const ApiVersion& api : row.stored_apis) {
      EXPECT_TRUE(std::ranges::contains(row.unknown_apis, api)) << api.group << api.version;
    }
  }
}

TEST(Dropped, SortsNames) {
  for (const Dropped& row : AllDropped()) {
    EXPECT_TRUE(std::ranges::is_sorted(row.gates)) << row.minor;
    EXPECT_TRUE(std::ranges::is_sorted(row.locked_gates, {}, &LockedGate::name)) << row.minor;
  }
}

TEST(Dropped, ReportsRemovedAndLockedGates) {
  EXPECT_EQ(GateTrouble(34, "SizeMemoryBackedVolumes", true), std::nullopt);
  EXPECT_EQ(GateTrouble(35, "SizeMemoryBackedVolumes", true), "v1.35 has no such feature gate");
  EXPECT_EQ(GateTrouble(37, "SizeMemoryBackedVolumes", true), "v1.35 has no such feature gate");
  EXPECT_EQ(GateTrouble(36, "SidecarContainers", true), std::nullopt);
  EXPECT_EQ(GateTrouble(37, "SidecarContainers", true), "v1.37 has no such feature gate");
  EXPECT_EQ(GateTrouble(36, "ImageVolume", true), std::nullopt);
  EXPECT_EQ(GateTrouble(36, "ImageVolume", false), "v1.36 has it locked to true");
  EXPECT_EQ(GateTrouble(36, "GitRepoVolumeDriver", true), "v1.36 has it locked to false");
  EXPECT_EQ(GateTrouble(37, "NeverHeardOf", true), std::nullopt);
  EXPECT_EQ(GateTrouble(37, "NodeSwap", true), std::nullopt);
  EXPECT_EQ(GateTrouble(38, "NodeSwap", true), "v1.38 has no such feature gate");
  EXPECT_EQ(GateTrouble(38, "EnvFiles", true), std::nullopt);
  EXPECT_EQ(GateTrouble(38, "EnvFiles", false), "v1.38 has it locked to true");
}

TEST(Dropped, HasTheOldestEtcdForTheNextMinor) {
  EXPECT_EQ(OldestEtcdFor(6), "3.5.26");
  EXPECT_EQ(OldestEtcdFor(7), "3.6.11");
  EXPECT_EQ(OldestEtcdFor(8), "");
}

TEST(Dropped, MatchesArgumentsByNameOrPrefix) {
  const auto row_37 = std::ranges::find(AllDropped(), 37, &Dropped::minor);
  ASSERT_NE(row_37, AllDropped().end());
  const auto etcd = row_37->etcd_arguments;
  EXPECT_TRUE(Matches(etcd, "experimental-initial-corrupt-check"));
  EXPECT_TRUE(Matches(etcd, "discovery"));
  EXPECT_FALSE(Matches(etcd, "discovery-srv"));
  EXPECT_FALSE(Matches(etcd, "snapshot-count"));
  EXPECT_TRUE(Matches(AllDropped().front().kubelet_arguments, "pod-infra-container-image"));
}

}  // namespace
}  // namespace releases
