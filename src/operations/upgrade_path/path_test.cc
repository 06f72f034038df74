// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/path.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"

namespace upgrade_path {
namespace {

using base::Version;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using upgrade::NodeVersion;

Version V(std::string_view text) { return Version::Parse(text).value(); }

PathFacts Facts(std::string_view cluster, std::string_view wanted) {
  const std::string version(cluster);
  return {.node = "one",
          .wanted = V(wanted),
          .cluster = V(cluster),
          .servers = {{"one", version}},
          .kubelets = {{"one", version}, {"worker", version}},
          .stored_api = "kubeadm.k8s.io/v1beta4"};
}

std::vector<std::string> Versions(const PathPlan& plan) {
  std::vector<std::string> versions;
  for (const Hop& hop : plan.hops) {
    versions.push_back(hop.version.TextWithV());
  }
  return versions;
}

std::string ErrorOf(const PathFacts& facts) {
  return base::MessageOf([&] { PlanPath(facts); });
}

TEST(Path, GoesMinorByMinor) {
  EXPECT_THAT(Versions(PlanPath(Facts("v1.34.4", "v1.37.2"))),
              ElementsAre("v1.35.4", "v1.36.3", "v1.37.2"));
  EXPECT_THAT(Versions(PlanPath(Facts("v1.33.13", "v1.35.1"))), ElementsAre("v1.34.4", "v1.35.1"));
  EXPECT_THAT(Versions(PlanPath(Facts("v1.36.0", "v1.36.3"))), ElementsAre("v1.36.3"));
  EXPECT_THAT(Versions(PlanPath(Facts("v1.37.2", "v1.37.2"))), IsEmpty());
}

TEST(Path, EndsFirstWhatWasBegun) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.cut_off = V("v1.35.2");
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.35.2", "v1.36.3", "v1.37.2"));
  facts.cluster = V("v1.35.2");  // its API server was replaced already
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.35.2", "v1.36.3", "v1.37.2"));
  facts.cluster = V("v1.36.3");  // somebody else has gone on since
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.37.2"));
  facts = Facts("v1.37.2", "v1.37.2");
  facts.cut_off = V("v1.37.2");
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.37.2"));
}

TEST(Path, RefusesWhereNoWayLeads) {
  EXPECT_THAT(ErrorOf(Facts("v1.34.4", "v1.38.0")), HasSubstr("v1.34 to v1.37"));
  EXPECT_THAT(ErrorOf(Facts("v1.36.3", "v1.35.4")), HasSubstr("kubeadm upgrade rollback"));
  EXPECT_THAT(ErrorOf(Facts("v1.32.0", "v1.37.2")), HasSubstr("begins at v1.33"));
}

TEST(Path, ThisNodesKubeletFollowsWithTheNewestThatFits) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.own_kubelets = {V("v1.35.3"), V("v1.35.4"), V("v1.35.9"), V("v1.37.2")};
  const PathPlan plan = PlanPath(facts);
  EXPECT_EQ(plan.hops.at(0).own_kubelet, V("v1.35.4"));
  EXPECT_EQ(plan.hops.at(1).own_kubelet, std::nullopt);
  EXPECT_EQ(plan.hops.at(2).own_kubelet, V("v1.37.2"));
  EXPECT_THAT(plan.kubelets_behind, ElementsAre(NodeVersion{"worker", "v1.34.4"}));
}

TEST(Path, ACommandBringsTheKubeletAnywhere) {
  PathFacts facts = Facts("v1.35.4", "v1.37.2");
  facts.kubelet_command = true;
  const PathPlan plan = PlanPath(facts);
  EXPECT_EQ(plan.hops.at(0).own_kubelet, V("v1.36.3"));
  EXPECT_EQ(plan.hops.at(1).own_kubelet, V("v1.37.2"));
}

TEST(Path, AKubeletThatWasLeftBehindFollowsAlone) {
  PathFacts facts = Facts("v1.37.2", "v1.37.2");
  facts.kubelets = {{"one", "v1.36.3"}};
  facts.kubelet_command = true;
  EXPECT_EQ(PlanPath(facts).kubelet_only, V("v1.37.2"));
  facts.kubelets = {{"one", "v1.37.2"}};
  EXPECT_EQ(PlanPath(facts).kubelet_only, std::nullopt);
}

TEST(Path, KubeletsAreAtMostThreeMinorsBehind) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.kubelets = {{"one", "v1.33.1"}, {"worker", "v1.33.1"}};
  const PathPlan plan = PlanPath(facts);
  EXPECT_THAT(plan.hops.at(1).kubelets_first, IsEmpty());
  EXPECT_THAT(plan.hops.at(2).kubelets_first,
              ElementsAre(NodeVersion{"one", "v1.33.1"}, NodeVersion{"worker", "v1.33.1"}));
  facts.kubelet_command = true;
  EXPECT_THAT(PlanPath(facts).hops.at(2).kubelets_first,
              ElementsAre(NodeVersion{"worker", "v1.33.1"}));
}

TEST(Path, ApiServersDifferByOneMinor) {
  const std::vector<NodeVersion> servers = {{"one", "v1.35.4"}, {"two", "v1.34.4"}};
  EXPECT_THAT(ServersBehind(servers, V("v1.35.4")), IsEmpty());
  EXPECT_THAT(ServersBehind(servers, V("v1.36.3")), ElementsAre(NodeVersion{"two", "v1.34.4"}));
}

// What is set, and what the plan says of it; "" for nothing.
struct Row {
  const char* name;
  void (*set)(PathFacts& facts);
  const char* wanted;
  bool breaks = true;
};

TEST(Path, TellsWhatWouldBreak) {
  const Row rows[] = {
      {"nothing", [](PathFacts&) {}, "", false},
      {"etcd's old flags",
       [](PathFacts& f) { f.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}}; },
       "etcd of v1.37 does not know"},
      {"etcd's other flags",
       [](PathFacts& f) { f.etcd_arguments = {{"etcd.local.extraArgs", "snapshot-count", "1"}}; },
       "", false},
      {"the kubelet's pause image",
       [](PathFacts& f) {
         f.kubelet_arguments = {{"/etc/default/kubelet", "pod-infra-container-image", "x"}};
       },
       "/etc/default/kubelet has --pod-infra-container-image, which kubelets since v1.35"},
      {"a gate that goes",
       [](PathFacts& f) { f.gates = {{"apiServer.extraArgs", "SidecarContainers", "true"}}; },
       "v1.37 has no such feature gate"},
      {"a gate that is locked",
       [](PathFacts& f) { f.gates = {{"scheduler.extraArgs", "DRAAdminAccess", "false"}}; },
       "v1.36 has it locked to true"},
      {"objects that cannot be read",
       [](PathFacts& f) { f.objects = {{"workloads", {"scheduling.k8s.io", "v1alpha2"}, 1}}; },
       "\"workloads\" of scheduling.k8s.io/v1alpha2, which v1.37 cannot read"},
      {"an old configuration", [](PathFacts& f) { f.stored_api = "kubeadm.k8s.io/v1beta3"; },
       "first hop stores it as", false},
      {"an API that goes", [](PathFacts& f) { f.requested = {{"ipaddresses.x/v1", 37}}; },
       "ipaddresses.x/v1, which v1.37 does not serve", false},
      {"an API that stays", [](PathFacts& f) { f.requested = {{"ipaddresses.x/v1", 38}}; }, "",
       false},
      {"a version that is not served",
       [](PathFacts& f) { f.hidden = {{"widgets.example.org", "v1alpha1"}}; },
       "widgets.example.org are stored in version v1alpha1", false},
  };
  for (const Row& row : rows) {
    PathFacts facts = Facts("v1.34.4", "v1.37.2");
    row.set(facts);
    const PathPlan plan = PlanPath(facts);
    EXPECT_EQ(plan.Breaks(), row.breaks) << row.name;
    if (*row.wanted == '\0') {
      EXPECT_THAT(plan.findings, IsEmpty()) << row.name;
    } else {
      ASSERT_EQ(plan.findings.size(), 1) << row.name;
      EXPECT_THAT(plan.findings.front().text, HasSubstr(row.wanted)) << row.name;
    }
  }
}

TEST(Path, WhatComesAfterTheLastHopBreaksNothing) {
  PathFacts facts = Facts("v1.34.4", "v1.36.3");
  facts.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}};
  facts.gates = {{"apiServer.extraArgs", "SidecarContainers", "true"}};
  EXPECT_THAT(PlanPath(facts).findings, IsEmpty());
}

}  // namespace
}  // namespace upgrade_path
