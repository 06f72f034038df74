// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "releases/releases.h"

namespace upgrade_path {
namespace {

using testing::HasSubstr;

PathPlan Plan() {
  return PlanPath({.node = "one",
                   .wanted = base::Version::Parse("v1.37.2").value(),
                   .cluster = base::Version::Parse("v1.35.4").value(),
                   .servers = {{"one", "v1.35.4"}},
                   .kubelets = {{"one", "v1.35.4"}, {"worker", "v1.33.1"}},
                   .gates = {{"apiServer.extraArgs", "SidecarContainers", "true"}},
                   .kubelet_command = true});
}

TEST(PathText, ShowsHopsKubeletsAndFindings) {
  const releases::Release& between = releases::For("v1.36.0");
  const std::string first = fmt::format("1 of 2    {0}         {1}   {2}   {0}\n", between.version,
                                        between.etcd, between.core_dns);
  EXPECT_EQ(
      TextOf(Plan()),
      "The path from v1.35.4 to v1.37.2:\n\n"
      "HOP       CONTROL PLANE   ETCD      COREDNS   THIS NODE'S KUBELET\n" +
          first +
          "2 of 2    v1.37.2         3.7.0-0   v1.14.6   v1.37.2\n"
          "\n"
          "Before the hop to v1.37.2 these kubelets must be at v1.34.0 or newer: worker "
          "(v1.33.1)\n"
          "After the last hop these kubelets are left to upgrade: worker (v1.33.1)\n"
          "\n"
          "What would break on the way:\n"
          "- apiServer.extraArgs sets feature gate SidecarContainers=true, and v1.37 has no such "
          "feature gate: a component would not start. Remove it\n");
}

TEST(PathText, ReportsAMissingPath) {
  const PathPlan plan{.from = base::Version::Parse("v1.37.2").value()};
  EXPECT_THAT(TextOf(plan), HasSubstr("there is nothing to do"));
}

TEST(PathObject, HasTheContentOfTheText) {
  const json::Ordered object = ObjectOf(Plan());
  EXPECT_EQ(object["kind"], "UpgradePath");
  EXPECT_EQ(object["hops"][1]["version"], "v1.37.2");
  EXPECT_EQ(object["hops"][1]["kubelet"], "v1.37.2");
  EXPECT_EQ(object["hops"][1]["kubeletsFirst"][0]["nodeName"], "worker");
  EXPECT_EQ(object["findings"][0]["breaks"], true);
}

}  // namespace
}  // namespace upgrade_path
