// SPDX-License-Identifier: Apache-2.0
#include "control_plane/soak.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/fake_error.h"

namespace control_plane {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

config::ClusterConfiguration Cluster(const std::string& version) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = version;
  return cluster;
}

constexpr base::Version kBefore{
    .major = 1, .minor = 36, .patch = 3, .pre_release = {}, .build = {}};

TEST(Soak, LetsTheControlPlaneBehaveAsThePreviousVersion) {
  config::ClusterConfiguration cluster = Cluster("v1.37.2");
  cluster.api_server.component.extra_args = {{.name = "v", .value = "4"}};
  BeginSoak(cluster, kBefore);
  for (const config::Args* args :
       {&cluster.api_server.component.extra_args, &cluster.controller_manager.extra_args,
        &cluster.scheduler.extra_args}) {
    EXPECT_EQ(config::FindArg(*args, "emulated-version"), "1.36");
  }
  EXPECT_EQ(EmulatedVersion(cluster).value().minor, 36);
  EndSoak(cluster);
  EXPECT_EQ(EmulatedVersion(cluster), std::nullopt);
  EXPECT_EQ(cluster.api_server.component.extra_args.size(), 1U);
  EXPECT_THAT(cluster.scheduler.extra_args, IsEmpty());
}

// A repeated command finds the new version in the stored configuration. The second BeginSoak must
// have no effect.
TEST(Soak, IsNotStartedTwice) {
  config::ClusterConfiguration cluster = Cluster("v1.37.2");
  BeginSoak(cluster, kBefore);
  BeginSoak(cluster, {.major = 1, .minor = 37, .patch = 2, .pre_release = {}, .build = {}});
  EXPECT_EQ(cluster.scheduler.extra_args.size(), 1U);
}

TEST(Soak, IsOfferedToTheNextMinorVersionOnly) {
  for (const char* wanted : {"v1.36.4", "v1.38.0", "v1.35.4"}) {
    config::ClusterConfiguration cluster = Cluster(wanted);
    const base::Error error = base::Thrown([&] { BeginSoak(cluster, kBefore); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kUsage) << wanted;
    EXPECT_THAT(error.message(), HasSubstr("next minor version")) << wanted;
  }
  config::ClusterConfiguration untried = Cluster("v1.35.4");
  EXPECT_THAT(base::MessageOf([&] {
                BeginSoak(untried,
                          {.major = 1, .minor = 34, .patch = 0, .pre_release = {}, .build = {}});
              }),
              HasSubstr("not tried"));
}

TEST(EmulatedVersion, ReadsTheArgumentAsTheApiServerDoes) {
  struct Case {
    std::string value;
    int minor;  // 0: no emulated version
  };
  for (const Case& each : std::vector<Case>{{"1.36", 36},
                                            {"kube=1.36", 36},
                                            {"wardle=1.2,kube=1.35", 35},
                                            {"1.37", 0},
                                            {"", 0},
                                            {"new", 0}}) {
    SCOPED_TRACE(each.value);
    config::ClusterConfiguration cluster = Cluster("v1.37.2");
    cluster.api_server.component.extra_args = {{.name = "emulated-version", .value = each.value}};
    const auto emulated = EmulatedVersion(cluster);
    EXPECT_EQ(emulated ? emulated->minor : 0, each.minor);
  }
}

}  // namespace
}  // namespace control_plane
