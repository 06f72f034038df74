// SPDX-License-Identifier: Apache-2.0
#include "releases/releases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace releases {
namespace {

using testing::ElementsAre;

std::vector<std::string> GateNames(const Release& release) {
  std::vector<std::string> names;
  for (const FeatureGate& gate : release.gates) {
    names.emplace_back(gate.name);
  }
  return names;
}

TEST(Releases, FollowEachOtherWithoutAGap) {
  int expected = All().front().minor;
  for (const Release& release : All()) {
    EXPECT_EQ(release.minor, expected++);
    const auto version = base::Version::Parse(release.version);
    ASSERT_TRUE(version) << release.version;
    EXPECT_EQ(version->minor, release.minor);
    EXPECT_TRUE(release.version.starts_with('v') && release.core_dns.starts_with('v'));
    EXPECT_THAT(GateNames(release),
                testing::WhenSorted(testing::ElementsAreArray(GateNames(release))));
  }
}

struct Images {
  std::string_view version, etcd, core_dns, pause;
};

class ReleaseImages : public testing::TestWithParam<Images> {};

TEST_P(ReleaseImages, AreOfTheMinorVersionOfTheRelease) {
  const Release& release = For(GetParam().version);
  EXPECT_EQ(release.etcd, GetParam().etcd);
  EXPECT_EQ(release.core_dns, GetParam().core_dns);
  EXPECT_EQ(release.pause, GetParam().pause);
}

INSTANTIATE_TEST_SUITE_P(Table, ReleaseImages,
                         testing::Values(Images{"v1.34.4", "3.6.5-0", "v1.12.1", "3.10.1"},
                                         Images{"v1.35.0-rc.1", "3.6.6-0", "v1.13.1", "3.10.1"},
                                         Images{"1.36.0", "3.6.8-0", "v1.14.2", "3.10.2"},
                                         Images{"v1.37.2", "3.7.0-0", "v1.14.6", "3.10.2"},
                                         Images{"v1.20.0", "3.6.5-0", "v1.12.1", "3.10.1"},
                                         Images{"v1.38.0-beta.0", "3.7.1-0", "v1.15.0", "3.10.2"},
                                         Images{"v1.38.0-rc.1", "3.7.1-0", "v1.15.0", "3.10.2"},
                                         Images{"v1.38.0", "3.7.1-0", "v1.15.0", "3.10.2"},
                                         Images{"v1.38.0-alpha.3", "3.7.0-0", "v1.14.6", "3.10.2"},
                                         Images{"v1.38.1", "3.7.0-0", "v1.14.6", "3.10.2"},
                                         Images{"v1.99.0", "3.7.0-0", "v1.14.6", "3.10.2"},
                                         Images{"v2.0.0", "3.7.0-0", "v1.14.6", "3.10.2"},
                                         Images{"nonsense", "3.7.0-0", "v1.14.6", "3.10.2"}));

// The rows repeat the table in minors.md §2.
TEST(Releases, HaveThePropertiesOfTheirMinorVersion) {
  const auto having = [](const auto& has) {
    std::vector<int> minors;
    for (const Release& release : All()) {
      if (has(release)) {
        minors.push_back(release.minor);
      }
    }
    return minors;
  };
  EXPECT_THAT(having([](const Release& r) { return r.flex_volumes; }), ElementsAre(34, 35));
  EXPECT_THAT(having([](const Release& r) { return r.etcd_before_3_6; }), ElementsAre(34, 35));
  EXPECT_THAT(having([](const Release& r) { return r.pod_infra_flag; }), ElementsAre(34));
  EXPECT_THAT(having([](const Release& r) { return r.evicts_from_tainted_devices; }),
              ElementsAre(36, 37, 38));
  EXPECT_THAT(having([](const Release& r) { return r.kubelet_client_group.empty(); }),
              ElementsAre(36, 37, 38));
  EXPECT_THAT(having([](const Release& r) { return !r.http_endpoints; }), ElementsAre(34));
  EXPECT_THAT(having([](const Release& r) { return r.needs_runtime_config.empty(); }),
              ElementsAre(34));
  EXPECT_THAT(having([](const Release& r) { return r.refuses_cgroup_v1; }),
              ElementsAre(35, 36, 37, 38));
  EXPECT_THAT(
      having([](const Release& r) { return r.socket_annotation == SocketAnnotation::kUnused; }),
      ElementsAre(37, 38));
  EXPECT_THAT(having([](const Release& r) { return r.kube_proxy_mode == "iptables"; }),
              ElementsAre(37, 38));
  EXPECT_THAT(having([](const Release& r) { return !r.ecdsa_enciphers; }), ElementsAre(38));
  EXPECT_THAT(having([](const Release& r) { return r.ml_dsa; }), ElementsAre(38));
  EXPECT_THAT(having([](const Release& r) { return r.wants_getent; }), ElementsAre(38));
  EXPECT_THAT(having([](const Release& r) { return r.soaks; }), ElementsAre(37, 38));
}

// Only the last row may be a pre-release, and the default version is never a pre-release.
TEST(Releases, KnowAPreReleaseThatIsNotTheDefaultVersion) {
  const auto published = [](const Release& r) { return !r.version.contains('-'); };
  EXPECT_TRUE(std::ranges::all_of(All().first(All().size() - 1), published));
  EXPECT_TRUE(published(Newest()));
  EXPECT_EQ(Newest().version,
            (published(All().back()) ? All().back() : All()[All().size() - 2]).version);
  EXPECT_EQ(NewestKnown().version, All().back().version);
  EXPECT_EQ(For("nonsense").version, Newest().version);
}

TEST(Releases, ListTheirFeatureGates) {
  EXPECT_THAT(GateNames(For("v1.34.4")),
              ElementsAre("ControlPlaneKubeletLocalMode", "NodeLocalCRISocket", "PublicKeysECDSA",
                          "RootlessControlPlane", "WaitForAllControlPlaneComponents"));
  EXPECT_THAT(GateNames(For("v1.36.3")),
              ElementsAre("NodeLocalCRISocket", "PublicKeysECDSA", "RootlessControlPlane"));
  EXPECT_THAT(GateNames(Newest()), ElementsAre("RootlessControlPlane"));
  EXPECT_EQ(Newest().FindGate(kPublicKeysEcdsa), nullptr);
  EXPECT_EQ(For("v1.35.4").FindGate(kPublicKeysEcdsa)->stage, GateStage::kDeprecated);
}

TEST(Releases, KnowMlDsaFromTheFirstSuchVersionOn) {
  for (const char* version : {"v1.34.9", "v1.37.2", "v1.37.99", "v1.38.0-alpha.3"}) {
    EXPECT_FALSE(KnowsMlDsa(base::Version::Parse(version).value())) << version;
  }
  for (const char* version : {"v1.38.0-beta.0", "v1.38.0", "v1.38.1", "v1.39.0", "v2.0.0"}) {
    EXPECT_TRUE(KnowsMlDsa(base::Version::Parse(version).value())) << version;
  }
  EXPECT_TRUE(KnowsMlDsa(base::Version::Parse(OldestMlDsa()).value()));
}

TEST(Releases, DescribeTheSupportedRange) {
  EXPECT_EQ(SupportedRange(), "v1.34 to v1.37, and v1.38.0 from v1.38.0-beta.0 on");
  EXPECT_EQ(OldestSupported().Text(), "1.34.0");
  EXPECT_EQ(OldestKubelet({1, 37, 2, "", ""}).Text(), "1.34.0");
  EXPECT_TRUE(Covers({1, 34, 9, "", ""}));
  EXPECT_FALSE(Covers({1, 33, 9, "", ""}));
  EXPECT_TRUE(Covers({1, 38, 0, "", ""}));
  EXPECT_FALSE(Covers({1, 38, 1, "", ""}));
  EXPECT_FALSE(Covers({1, 39, 0, "", ""}));
}

}  // namespace
}  // namespace releases
