// SPDX-License-Identifier: Apache-2.0
#include "fleet/drain.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "kube/fake_cluster.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json::Value With(json::Value pod, std::initializer_list<const char*> path, json::Value value) {
  json::Value* at = &pod;
  for (const char* name : path) {
    at = &(*at)[name];
  }
  *at = std::move(value);
  return pod;
}

TEST(PlanDrain, LeavesPodsThatEvictionDoesNotMove) {
  EXPECT_THAT(PlanDrain({FakePod("a", "w", "DaemonSet"),
                         With(FakePod("b", "w"), {"status", "phase"}, "Succeeded"),
                         With(FakePod("c", "w", ""), {"status", "phase"}, "Failed"),
                         With(FakePod("d", "w", ""),
                              {"metadata", "annotations", "kubernetes.io/config.mirror"}, "x"),
                         With(FakePod("e", "w", "Job"),
                              {"metadata", "labels", "operations.slipway/operation"}, "x")},
                        false)
                  .pods,
              IsEmpty());
}

TEST(PlanDrain, NamesPodsThatNoControllerReplaces) {
  const std::vector<json::Value> pods = {FakePod("a", "w"), FakePod("b", "w", "")};
  EXPECT_THAT(PlanDrain(pods, false).orphans, ElementsAre("default/b"));
  EXPECT_THAT(PlanDrain(pods, true).orphans, IsEmpty());
  EXPECT_EQ(PlanDrain(pods, true).pods.size(), 2);
}

TEST(PlanDrain, WaitsForATerminatingPodWithoutController) {
  const json::Value pod = With(FakePod("b", "w", ""), {"metadata", "deletionTimestamp"}, "t");
  EXPECT_THAT(PlanDrain({pod}, false).orphans, IsEmpty());
  EXPECT_EQ(PlanDrain({pod}, false).pods.size(), 1);
}

class DrainTest : public kube::FakeCluster {
 protected:
  void SetUp() override { server_.Put(kube::resources::kNode, FakeReadyNode("w", false)); }
  json::Value Node() { return Stored(kube::resources::kNode, "w"); }
  void PutPod(json::Value pod) { server_.Put(kube::resources::kPod, std::move(pod)); }
};

TEST_F(DrainTest, CordonsInOneWriteAndRemovesItsMarks) {
  ApplyCordon(client_, {.node = "w", .task = "spring-1", .time = "2026-01-31T00:00:00Z"});
  const FleetNode node = NodeFrom(Node());
  EXPECT_TRUE(node.cordoned);
  EXPECT_EQ(node.task, "spring-1");
  EXPECT_TRUE(node.since);
  EXPECT_FALSE(node.cordoned_before);
  EXPECT_THAT(Writes(), ElementsAre("PATCH w"));
  RemoveCordon(client_, "w", false);
  EXPECT_FALSE(NodeFrom(Node()).cordoned);
  EXPECT_EQ(NodeFrom(Node()).task, "");
  EXPECT_THAT(json::At(Node(), {"metadata", "annotations"}), IsEmpty());
}

TEST_F(DrainTest, KeepsTheCordonOfAnAdministrator) {
  ApplyCordon(client_, {.node = "w", .task = "t", .time = "x", .cordoned_before = true});
  EXPECT_TRUE(NodeFrom(Node()).cordoned_before);
  RemoveCordon(client_, "w", true);
  EXPECT_TRUE(NodeFrom(Node()).cordoned);
  EXPECT_EQ(NodeFrom(Node()).task, "");
}

TEST_F(DrainTest, EvictsPodsOfTheNodeOnly) {
  PutPod(FakePod("here", "w"));
  PutPod(FakePod("there", "other"));
  EXPECT_THAT(ApplyDrain(client_, "w", {}), ElementsAre("default/here: it is terminating"));
  EXPECT_THAT(Writes(), ElementsAre("POST eviction"));
  EXPECT_THAT(server_.Requests().back(), HasSubstr("/pods/here/eviction"));
}

TEST_F(DrainTest, DoesNotEvictATerminatingPodAgain) {
  PutPod(With(FakePod("here", "w"), {"metadata", "deletionTimestamp"}, "t"));
  EXPECT_THAT(ApplyDrain(client_, "w", {}), ElementsAre("default/here: it is terminating"));
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(DrainTest, ReportsABudgetThatAllowsNoEviction) {
  PutPod(FakePod("here", "w"));
  server_.Inject({.what = "POST /api/v1/namespaces/default/pods/here/eviction",
                  .status = 429,
                  .reason = "TooManyRequests",
                  .message = "budget web needs 2 healthy pods"});
  EXPECT_THAT(ApplyDrain(client_, "w", {}), ElementsAre(HasSubstr("budget web needs 2")));
}

TEST_F(DrainTest, RefusesADrainThatWouldLoseAPod) {
  PutPod(FakePod("a", "w"));
  PutPod(FakePod("b", "w", ""));
  const base::Error error = base::Thrown([&] { ApplyDrain(client_, "w", {}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("default/b"));
  EXPECT_THAT(Writes(), IsEmpty());
}

}  // namespace
}  // namespace fleet
