// SPDX-License-Identifier: Apache-2.0
#include "objects/mark.h"

#include <gmock/gmock.h>

#include "kube/fake_cluster.h"

namespace objects {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

using ControlPlaneMark = kube::FakeCluster;

TEST(MarkNode, AddsItsTaintBeforeOtherTaints) {
  struct Case {
    std::string name;
    std::optional<std::vector<config::Taint>> configured;
    std::string before, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"default", std::nullopt, R"([{"effect":"NoSchedule","key":"other"}])",
            R"([{"effect":"NoSchedule","key":"node-role.kubernetes.io/control-plane"},)"
            R"({"effect":"NoSchedule","key":"other"}])"},
           {"none", std::vector<config::Taint>{}, R"([{"effect":"NoSchedule","key":"other"}])",
            R"([{"effect":"NoSchedule","key":"other"}])"},
           {"there already",
            {{{.key = "a", .value = "1", .effect = "NoExecute"}}},
            R"([{"effect":"NoExecute","key":"a","value":"1"}])",
            R"([{"effect":"NoExecute","key":"a","value":"1"}])"},
           {"none at all", std::vector<config::Taint>{}, "null", "null"}}) {
    json::Value node = {{"spec", {{"taints", json::Value::parse(c.before)}}}};
    MarkNode(node, ControlPlaneTaints(c.configured));
    EXPECT_EQ(node["spec"]["taints"].dump(), c.want) << c.name;
    EXPECT_EQ(node["metadata"]["labels"].dump(),
              R"({"node-role.kubernetes.io/control-plane":"",)"
              R"("node.kubernetes.io/exclude-from-external-load-balancers":""})");
  }
}

TEST_F(ControlPlaneMark, PatchesTheTaintOfTheNode) {
  server_.Put(
      kube::resources::kNode,
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata", {{"name", "cp-one"}, {"labels", {{"kubernetes.io/hostname", "cp-one"}}}}}});
  MarkControlPlane(client_, "cp-one", ControlPlaneTaints(std::nullopt));
  EXPECT_THAT(Writes(), ElementsAre("PATCH cp-one"));
  EXPECT_EQ(Stored(kube::resources::kNode, "cp-one")["spec"]["taints"].size(), 1U);
}

}  // namespace
}  // namespace objects
