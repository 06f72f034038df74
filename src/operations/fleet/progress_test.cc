// SPDX-License-Identifier: Apache-2.0
#include "fleet/progress.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"

namespace fleet {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::sys_seconds kNow{seconds(1'000'000)};

class ProgressTest : public testing::Test {
 protected:
  FleetNode& Node(const std::string& name) {
    return *std::ranges::find(facts_.nodes, name, &FleetNode::name);
  }
  std::string IdOf(const std::string& name) {
    for (const Wave& wave : Plan().waves) {
      for (const NodeTask& task : wave.tasks) {
        if (task.node == name) {
          return task.id;
        }
      }
    }
    return "";
  }
  FleetPlan Plan() { return PlanFleet(operation_, facts_.nodes); }
  FleetProgress Progress() { return PlanActions(Plan(), facts_); }

  void Cordon(const std::string& name) {
    Node(name).task = IdOf(name);
    Node(name).cordoned = true;
  }
  void PutJob(const std::string& name, TaskJob::State state) {
    facts_.jobs[IdOf(name)] = {
        .state = state, .id = IdOf(name), .spec_hash = {}, .cause = "why", .ended = kNow};
  }
  void PutRollback(const std::string& name, TaskJob::State state) {
    const std::string id = IdOf(name) + "-undo";
    facts_.jobs[id] = {
        .state = state, .id = id, .spec_hash = {}, .cause = "no backup", .ended = kNow};
  }
  void Complete(const std::string& name) { PutJob(name, TaskJob::State::kSucceeded); }

  // Returns "cordon w-1" for each action.
  std::vector<std::string> Actions() {
    static constexpr const char* kNames[] = {"cordon", "drain", "start", "rollback", "uncordon"};
    std::vector<std::string> texts;
    for (const FleetAction& action : Progress().actions) {
      texts.push_back(std::string(kNames[static_cast<int>(action.kind)]) + " " + action.task.node);
    }
    return texts;
  }

  ClusterOperation operation_ = FakeUpgrade();
  FleetFacts facts_{.nodes = {FakeControlPlane("cp-1"), FakeControlPlane("cp-2"), FakeWorker("w-1"),
                              FakeWorker("w-2"), FakeWorker("w-3")},
                    .jobs = {},
                    .failures = {},
                    .now = kNow};
};

TEST_F(ProgressTest, TakesANodeThroughItsStages) {
  EXPECT_THAT(Actions(), ElementsAre("cordon cp-1"));
  Cordon("cp-1");
  EXPECT_THAT(Actions(), ElementsAre("drain cp-1"));
  PutJob("cp-1", TaskJob::State::kActive);
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_EQ(Progress().tasks[0].stage, Stage::kRunning);
  Complete("cp-1");
  EXPECT_THAT(Actions(), ElementsAre("uncordon cp-1"));
  Node("cp-1").task.clear();
  EXPECT_EQ(Progress().tasks[0].stage, Stage::kDone);
  EXPECT_THAT(Actions(), ElementsAre("cordon cp-2"));
}

TEST_F(ProgressTest, StartsAtOnceWithoutADrain) {
  operation_ = FakeRenewal();
  EXPECT_THAT(Actions(), ElementsAre("start cp-1"));
  Complete("cp-1");
  EXPECT_THAT(Actions(), ElementsAre("start cp-2"));
  Complete("cp-2");
  EXPECT_TRUE(Progress().IsDone());
}

TEST_F(ProgressTest, UncordonsOnlyANodeThatIsReady) {
  Cordon("cp-1");
  Complete("cp-1");
  Node("cp-1").ready = false;
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_EQ(Progress().tasks[0].stage, Stage::kSettling);
  EXPECT_EQ(Progress().tasks[0].message, "the node is not Ready");
}

TEST_F(ProgressTest, BeginsATaskWithItsDrainOrElseItsJob) {
  EXPECT_FALSE(Progress().tasks[0].began);
  PutJob("cp-1", TaskJob::State::kActive);
  facts_.jobs[IdOf("cp-1")].began = kNow - std::chrono::seconds(5);
  EXPECT_EQ(Progress().tasks[0].began, kNow - std::chrono::seconds(5));
  Cordon("cp-1");
  Node("cp-1").since = kNow - std::chrono::seconds(9);
  EXPECT_EQ(Progress().tasks[0].began, kNow - std::chrono::seconds(9));
}

TEST_F(ProgressTest, BeginsAsManyWorkersAsMayBeUnavailable) {
  operation_.spec.workers.max_unavailable = 2;
  Complete("cp-1");
  Complete("cp-2");
  EXPECT_THAT(Actions(), ElementsAre("cordon w-1", "cordon w-2"));
  Node("w-3").ready = false;
  EXPECT_THAT(Actions(), ElementsAre("cordon w-1"));
  Node("w-1").ready = false;
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_EQ(Progress().waiting, "node w-3 is not Ready");
}

TEST_F(ProgressTest, NamesTheRemedyForAKubeletThatDoesNotReport) {
  Node("cp-1").ready = false;
  Node("cp-1").silent = true;
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_EQ(Progress().waiting,
            "node cp-1 is not Ready: its kubelet does not report. If the API server refuses the "
            "kubelet, run \"kubeadm node recover\" on that node");
}

TEST_F(ProgressTest, DoesNotBeginANodeThatIsNotReady) {
  operation_.spec.workers.max_unavailable = 2;
  Complete("cp-1");
  Complete("cp-2");
  Node("w-1").ready = false;
  EXPECT_THAT(Actions(), ElementsAre("cordon w-2"));
}

TEST_F(ProgressTest, WaitsForADoneNodeThatIsNotReady) {
  Complete("cp-1");
  Node("cp-1").ready = false;
  EXPECT_THAT(Actions(), IsEmpty()) << "a second control plane would be lost";
}

TEST_F(ProgressTest, DoesNotTouchTheNodeOfAnotherOperation) {
  Node("cp-1").task = "autumn-0123456789";
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_THAT(Progress().waiting, HasSubstr("autumn-0123456789"));
}

TEST_F(ProgressTest, CompletesBegunNodesAfterAFailureAndBeginsNoFurther) {
  operation_.spec.workers.max_unavailable = 2;
  Complete("cp-1");
  Complete("cp-2");
  Cordon("w-1");
  PutJob("w-1", TaskJob::State::kFailed);
  Cordon("w-2");
  EXPECT_THAT(Actions(), ElementsAre("drain w-2"));
  EXPECT_FALSE(Progress().HasFailed());
  Complete("w-2");
  EXPECT_THAT(Actions(), ElementsAre("uncordon w-2"));
  Node("w-2").task.clear();
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_TRUE(Progress().HasFailed());
  EXPECT_EQ(Progress().tasks[2].message, "why");
}

TEST_F(ProgressTest, CountsAFailedDrainAsAFailure) {
  facts_.failures[IdOf("cp-1")] = "orphans";
  EXPECT_TRUE(Progress().HasFailed());
  EXPECT_THAT(Actions(), IsEmpty());
}

TEST_F(ProgressTest, CompletesBegunNodesWhilePausedAndBeginsNoFurther) {
  operation_.spec.workers.max_unavailable = 2;
  Complete("cp-1");
  Complete("cp-2");
  Cordon("w-1");
  const FleetProgress progress = PlanActions(Plan(), facts_, "the operation is paused");
  ASSERT_EQ(progress.actions.size(), 1);
  EXPECT_EQ(progress.actions[0].kind, FleetAction::Kind::kDrain);
  EXPECT_EQ(progress.waiting, "the operation is paused");
}

TEST_F(ProgressTest, SoaksAfterTheCanary) {
  operation_.spec.canary = {.nodes = 1, .soak = std::chrono::minutes(10)};
  for (const char* name : {"cp-1", "cp-2", "w-1"}) {
    Complete(name);
  }
  facts_.now = kNow + seconds(599);
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_THAT(Progress().waiting, HasSubstr("canary nodes soak until"));
  facts_.now = kNow + seconds(600);
  EXPECT_THAT(Actions(), ElementsAre("cordon w-2"));
}

TEST_F(ProgressTest, IsDoneWithoutAPauseAfterTheLastWave) {
  operation_.spec.canary = {.nodes = 3, .soak = std::chrono::minutes(10)};
  for (const char* name : {"cp-1", "cp-2", "w-1", "w-2", "w-3"}) {
    Complete(name);
  }
  EXPECT_TRUE(Progress().IsDone());
  EXPECT_EQ(Progress().waiting, "");
}

TEST_F(ProgressTest, RollsAFailedNodeBackAndStops) {
  operation_.spec.rollback = Rollback::kNode;
  Cordon("cp-1");
  PutJob("cp-1", TaskJob::State::kFailed);
  EXPECT_THAT(Actions(), ElementsAre("rollback cp-1"));
  EXPECT_EQ(Progress().tasks[0].stage, Stage::kRollingBack);
  EXPECT_FALSE(Progress().HasFailed());
  PutRollback("cp-1", TaskJob::State::kActive);
  EXPECT_THAT(Actions(), IsEmpty());
  PutRollback("cp-1", TaskJob::State::kSucceeded);
  Node("cp-1").ready = false;
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_EQ(Progress().tasks[0].message, "why; the node is not Ready");
  Node("cp-1").ready = true;
  EXPECT_THAT(Actions(), ElementsAre("uncordon cp-1"));
  Node("cp-1").task.clear();
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_TRUE(Progress().HasFailed());
  EXPECT_EQ(Progress().tasks[0].message, "why; the node was rolled back");
  EXPECT_EQ(Progress().tasks[0].rolled_back, true);
}

TEST_F(ProgressTest, LeavesANodeCordonedWhoseRollbackFails) {
  operation_.spec.rollback = Rollback::kNode;
  Cordon("cp-1");
  PutJob("cp-1", TaskJob::State::kFailed);
  PutRollback("cp-1", TaskJob::State::kFailed);
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_TRUE(Progress().HasFailed());
  EXPECT_EQ(Progress().tasks[0].message, "why; its rollback has failed: no backup");
  EXPECT_EQ(Progress().tasks[0].rolled_back, false);
}

TEST_F(ProgressTest, CompletesOtherNodesDuringARollback) {
  operation_.spec.rollback = Rollback::kNode;
  operation_.spec.workers.max_unavailable = 2;
  Complete("cp-1");
  Complete("cp-2");
  Cordon("w-1");
  PutJob("w-1", TaskJob::State::kFailed);
  Cordon("w-2");
  Complete("w-2");
  EXPECT_THAT(Actions(), ElementsAre("rollback w-1", "uncordon w-2"));
}

TEST_F(ProgressTest, RollsNothingBackAfterAFailedDrain) {
  operation_.spec.rollback = Rollback::kNode;
  facts_.failures[IdOf("cp-1")] = "orphans";
  EXPECT_THAT(Actions(), IsEmpty());
  EXPECT_TRUE(Progress().HasFailed());
}

TEST_F(ProgressTest, NamesANodeOfThePlanThatIsGone) {
  const FleetPlan plan = Plan();
  std::erase_if(facts_.nodes, [](const FleetNode& node) { return node.name == "w-1"; });
  EXPECT_EQ(base::MessageOf([&] { PlanActions(plan, facts_); }),
            "the operation has work for node \"w-1\", but the cluster has no Node of that name");
}

TEST_F(ProgressTest, NamesATaskThatIsNotPlanned) {
  FleetProgress progress = Progress();
  EXPECT_EQ(progress.RequireTask(IdOf("w-1")).node, "w-1");
  EXPECT_EQ(base::MessageOf([&] { progress.RequireTask("spring-x"); }),
            "an action is planned for task \"spring-x\", which is not in the operation's plan");
}

}  // namespace
}  // namespace fleet
