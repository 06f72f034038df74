// SPDX-License-Identifier: Apache-2.0
#include "config_change/plan.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config_change/fake_cluster.h"
#include "config_change/parts.h"

namespace config_change {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A control plane whose static Pods match its configuration.
class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    for (const components::Component component : components::kComponents) {
      static_pods::WriteManifest(with_.fake.files, component,
                                 PodOf(component, with_.sources, Configured({})));
    }
  }

  config::Init Configured(const std::vector<std::string>& words) {
    return Complete(ApplySettings(FakeCluster::Stored("one"), words), with_.node, with_.facts);
  }

  Plan PlanOf(const std::vector<std::string>& words) {
    return MakePlan(with_.sources, Configured({}), Configured(words));
  }

  // Returns the components that are replaced or restarted, in their order.
  std::vector<std::string> Touched(const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const control_plane::PodChange& change : PlanOf(words).pods) {
      if (change.what != control_plane::PodChange::What::kNothing) {
        names.emplace_back(components::Name(change.component));
      }
    }
    return names;
  }

  FakeCluster with_;
};

TEST_F(PlanTest, TouchesTheComponentWhoseFieldChanges) {
  EXPECT_TRUE(IsEmpty(PlanOf({})));
  EXPECT_THAT(Touched({"scheduler.extraArgs.v=3"}), ElementsAre("kube-scheduler"));
  EXPECT_THAT(Touched({"apiServer.extraArgs.v=3"}), ElementsAre("kube-apiserver"));
  EXPECT_THAT(Touched({"kubelet.maxPods=99"}), testing::IsEmpty());
  EXPECT_TRUE(PlanOf({"kubelet.maxPods=99"}).kubelet);
}

TEST_F(PlanTest, NamesTheFieldsThatChange) {
  EXPECT_EQ(TextOf(PlanOf({})), "Nothing changes\n");
  EXPECT_THAT(TextOf(PlanOf({"scheduler.extraArgs.v=3"})),
              HasSubstr("Fields that change:\n  scheduler.extraArgs.v: (not set) -> \"3\""));
}

TEST_F(PlanTest, RefusesAComponentOfAnotherVersion) {
  json::Value pod = PodOf(components::Component::kScheduler, with_.sources, Configured({}));
  pod["spec"]["containers"][0]["image"] = "registry.k8s.io/kube-scheduler:v1.35.1";
  static_pods::WriteManifest(with_.fake.files, components::Component::kScheduler, pod);
  EXPECT_THAT(base::MessageOf([&] { PlanOf({"apiServer.extraArgs.v=3"}); }),
              HasSubstr("kube-scheduler of this node is of v1.35.1"));
  pod["spec"]["containers"][0]["image"] = "mirror/kube-scheduler@sha256:0123";
  static_pods::WriteManifest(with_.fake.files, components::Component::kScheduler, pod);
  EXPECT_THAT(Touched({}), ElementsAre("kube-scheduler"));
}

TEST_F(PlanTest, ReplacesTheApiServerTogetherWithItsEtcd) {
  EXPECT_THAT(Touched({"etcd.local.extraArgs.quota-backend-bytes=4294967296"}),
              ElementsAre("etcd", "kube-apiserver"));
}

}  // namespace
}  // namespace config_change
