// SPDX-License-Identifier: Apache-2.0
#include "fleet/plan.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "base/strings.h"
#include "fleet/fake_fleet.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const std::vector<FleetNode> kNodes = {FakeWorker("w-2"), FakeControlPlane("cp-2"),
                                       FakeWorker("w-1"), FakeControlPlane("cp-1"),
                                       FakeWorker("w-3")};

// Returns a line for each wave: "workers 2: w-1 w-2".
std::vector<std::string> Waves(const FleetPlan& plan) {
  std::vector<std::string> lines;
  for (const Wave& wave : plan.waves) {
    lines.push_back(wave.title + " " + std::to_string(wave.at_once) + ":");
    for (const NodeTask& task : wave.tasks) {
      lines.back() += " " + task.node;
    }
  }
  return lines;
}

std::string Arguments(const FleetPlan& plan, std::size_t wave, std::size_t task) {
  return base::Join(plan.waves.at(wave).tasks.at(task).arguments, " ");
}

// Returns the step of each wave.
std::vector<std::string> Steps(const FleetPlan& plan) {
  std::vector<std::string> steps;
  for (const Wave& wave : plan.waves) {
    steps.push_back(wave.tasks.front().step);
  }
  return steps;
}

TEST(PlanFleet, BeginsWithControlPlanesOneAtATime) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.workers.max_unavailable = 2;
  EXPECT_THAT(Waves(PlanFleet(operation, kNodes)),
              ElementsAre("control planes 1: cp-1 cp-2", "workers 2: w-1 w-2 w-3"));
}

TEST(PlanFleet, PutsCanaryWorkersBeforeTheOthers) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.canary = {.nodes = 1, .soak = std::chrono::minutes(10)};
  EXPECT_THAT(Waves(PlanFleet(operation, kNodes)),
              ElementsAre("control planes 1: cp-1 cp-2", "canary 1: w-1", "workers 1: w-2 w-3"));
  operation.spec.canary.nodes = 7;
  EXPECT_THAT(Waves(PlanFleet(operation, kNodes)),
              ElementsAre("control planes 1: cp-1 cp-2", "canary 1: w-1 w-2 w-3"));
}

TEST(PlanFleet, UpgradesTheClusterOnTheFirstControlPlane) {
  ClusterOperation operation = FakeUpgrade();
  FleetPlan plan = PlanFleet(operation, kNodes);
  EXPECT_EQ(Arguments(plan, 0, 0), "upgrade apply v1.37.2 --yes");
  EXPECT_EQ(Arguments(plan, 0, 1), "upgrade node");
  EXPECT_EQ(Arguments(plan, 1, 0), "upgrade node");
  EXPECT_TRUE(plan.waves[1].tasks[0].drains);

  operation.spec.upgrade->allow_experimental_upgrades = true;
  EXPECT_EQ(Arguments(PlanFleet(operation, kNodes), 0, 0),
            "upgrade apply v1.37.2 --yes --allow-experimental-upgrades");
  operation.spec.upgrade->allow_experimental_upgrades = false;
  operation.spec.upgrade->kubelet_command = "get kubelet";
  operation.spec.upgrade->ignore_preflight_errors = {"NumCPU", "Swap"};
  plan = PlanFleet(operation, kNodes);
  const std::string options =
      " --ignore-preflight-errors=NumCPU,Swap --upgrade-kubelet-command=get kubelet";
  EXPECT_EQ(Arguments(plan, 0, 0), "upgrade apply v1.37.2 --yes --path" + options);
  EXPECT_EQ(Arguments(plan, 1, 0), "upgrade node" + options);

  operation.spec.upgrade->kubelet_command.clear();
  operation.spec.upgrade->kubelet_image = "kubelets:1";
  plan = PlanFleet(operation, kNodes);
  EXPECT_THAT(Arguments(plan, 0, 0), HasSubstr("--path"));
  EXPECT_THAT(Arguments(plan, 1, 0), EndsWith("--node-packages=/kubelets"));
}

TEST(PlanFleet, RenewsCertificatesOfControlPlanesOnly) {
  ClusterOperation operation = FakeRenewal();
  operation.spec.renew_certificates->if_expires_within = "30d";
  const FleetPlan plan = PlanFleet(operation, kNodes);
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1 cp-2"));
  EXPECT_EQ(Arguments(plan, 0, 0), "certs renew all --restart --if-expires-within=30d");
  EXPECT_FALSE(plan.waves[0].tasks[0].drains);
}

TEST(PlanFleet, ChangesTheConfigurationOnTheFirstControlPlaneBeforeTheOthers) {
  const FleetPlan plan = PlanFleet(FakeConfig({"apiServer.extraArgs.v=4"}), kNodes);
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1 cp-2"));
  EXPECT_EQ(Arguments(plan, 0, 0), "config apply --yes --set=apiServer.extraArgs.v=4");
  EXPECT_EQ(Arguments(plan, 0, 1), "config apply node --yes");
}

TEST(PlanFleet, ChangesTheKubeletsConfigurationOnWorkersToo) {
  const FleetPlan plan =
      PlanFleet(FakeConfig({"apiServer.extraArgs.v=4", "kubelet.maxPods=9"}), kNodes);
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1 cp-2", "workers 1: w-1 w-2 w-3"));
  EXPECT_EQ(Arguments(plan, 1, 0), "config apply node --yes");
}

TEST(PlanFleet, BacksUpTheFirstControlPlaneOnly) {
  const FleetPlan plan = PlanFleet(FakeBackup(), kNodes);
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1"));
  EXPECT_EQ(Arguments(plan, 0, 0), "backup create s3://b/ --recipient=age1a --recipient=age1b");
  EXPECT_FALSE(plan.waves[0].tasks[0].drains);
}

TEST(PlanFleet, ReplacesAnAuthorityStepByStep) {
  const FleetPlan plan = PlanFleet(FakeRotation("kubernetes"), kNodes);
  EXPECT_THAT(
      Waves(plan),
      ElementsAre("control planes step trust 1: cp-1 cp-2", "workers step trust 1: w-1 w-2 w-3",
                  "control planes step reissue 1: cp-1 cp-2", "workers step reissue 1: w-1 w-2 w-3",
                  "control planes step drop 1: cp-1 cp-2", "workers step drop 1: w-1 w-2 w-3"));
  EXPECT_EQ(Arguments(plan, 0, 0),
            "certs rotate-ca kubernetes --step=trust --again --upload-certs");
  EXPECT_EQ(Arguments(plan, 0, 1), "certs rotate-ca kubernetes --step=trust");
  EXPECT_TRUE(plan.waves[0].tasks[0].takes_key && plan.waves[0].tasks[1].takes_key);
  EXPECT_FALSE(plan.waves[1].tasks[0].takes_key) << "a worker";
  EXPECT_FALSE(plan.waves[2].tasks[0].takes_key) << "it has the authority already";
  EXPECT_EQ(plan.waves[3].soak, std::chrono::minutes(75));
  EXPECT_EQ(plan.waves[2].soak.count(), 0);
}

TEST(PlanFleet, RotatesAControlPlaneAuthorityOnControlPlanesOnly) {
  const FleetPlan plan = PlanFleet(FakeRotation("etcd"), {FakeControlPlane("cp"), FakeWorker("w")});
  EXPECT_THAT(Steps(plan), ElementsAre("trust", "reissue", "drop"));
  EXPECT_EQ(Arguments(plan, 0, 0), "certs rotate-ca etcd --step=trust --again");
  EXPECT_FALSE(plan.waves[0].tasks[0].takes_key);
}

TEST(PlanFleet, RestartsEveryHostDrained) {
  ClusterOperation operation = FakeReboot();
  operation.uid = "-1";
  const FleetPlan plan = PlanFleet(operation, kNodes);
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1 cp-2", "workers 1: w-1 w-2 w-3"));
  EXPECT_EQ(Arguments(plan, 1, 0), "fleet host-reboot --id=spring-1");
  EXPECT_TRUE(plan.waves[0].tasks[0].drains);
}

TEST(PlanFleet, RecoversTheKubeletOfEveryNode) {
  ClusterOperation operation = FakeRecovery();
  const FleetPlan plan = PlanFleet(operation, kNodes);
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1 cp-2", "workers 1: w-1 w-2 w-3"));
  EXPECT_EQ(Arguments(plan, 0, 0), "node recover");
  EXPECT_FALSE(plan.waves[1].tasks[0].drains);
  operation.spec.recover->force = true;
  EXPECT_EQ(Arguments(PlanFleet(operation, kNodes), 1, 0), "node recover --force");
}

TEST(PlanFleet, UpgradesOverSeveralMinorVersionsHopByHop) {
  ClusterOperation operation = FakeUpgrade();
  const FleetPlan plan = PlanFleet(operation, kNodes, "v1.34.1");
  EXPECT_THAT(
      Waves(plan),
      ElementsAre("control planes checks of the path to v1.37.2 1: cp-1",
                  HasSubstr("control planes to v1.35."), HasSubstr("control planes to v1.36."),
                  "control planes to v1.37.2 1: cp-1 cp-2", "workers to v1.37.2 1: w-1 w-2 w-3"));
  EXPECT_THAT(Steps(plan), ElementsAre("check", "v1-35", "v1-36", "v1-37", "v1-37"));
  EXPECT_EQ(Arguments(plan, 0, 0), "upgrade plan v1.37.2 --path --check");
  EXPECT_FALSE(plan.waves[0].tasks[0].drains);
  EXPECT_THAT(Arguments(plan, 1, 0),
              testing::MatchesRegex("upgrade apply v1.35.[0-9]+ --yes --path"));
  EXPECT_EQ(Arguments(plan, 1, 1), "upgrade node");
  EXPECT_TRUE(plan.waves[1].tasks[0].drains);
  EXPECT_NE(plan.waves[1].tasks[0].id, plan.waves[2].tasks[0].id);
  EXPECT_EQ(plan.waves[1].tasks[0].from, "v1.34.1");
}

TEST(PlanFleet, UpgradesWorkersBeforeTheirKubeletsAreTooOld) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.upgrade->version = "v1.38.0";
  const FleetPlan plan = PlanFleet(operation, kNodes, "v1.34.1");
  EXPECT_THAT(Steps(plan),
              ElementsAre("check", "v1-35", "v1-36", "v1-37", "v1-37", "v1-38", "v1-38"));
  EXPECT_THAT(Waves(plan)[4], HasSubstr("workers to v1.37."));
}

TEST(PlanFleet, UpgradesOnlyNodesIfAnotherControllerUpgradesTheCluster) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.upgrade->nodes_only = true;
  operation.spec.upgrade->kubelet_command = "get kubelet";
  const FleetPlan plan = PlanFleet(operation, kNodes, "v1.34.8");
  EXPECT_THAT(Waves(plan), ElementsAre("control planes 1: cp-1 cp-2", "workers 1: w-1 w-2 w-3"));
  for (const std::size_t wave : {0, 1}) {
    EXPECT_EQ(Arguments(plan, wave, 0),
              "upgrade node --upgrade-kubelet-command=get kubelet --skip-phases=addon");
  }
}

TEST(PlanFleet, HasOneRoundForOneMinorVersion) {
  for (const char* from : {"v1.36.4", "v1.37.0", "v1.38.0", "unknown", ""}) {
    EXPECT_THAT(Steps(PlanFleet(FakeUpgrade(), kNodes, from)), ElementsAre("", "")) << from;
  }
}

TEST(IsTaskOf, KnowsTheTasksOfAllRounds) {
  const ClusterOperation operation = FakeUpgrade();
  const FleetPlan plan = PlanFleet(operation, kNodes, "v1.34.1");
  for (const Wave& wave : plan.waves) {
    for (const NodeTask& task : wave.tasks) {
      EXPECT_TRUE(IsTaskOf(operation, task.node, task.id)) << task.id;
      EXPECT_FALSE(IsTaskOf(operation, "other", task.id)) << task.id;
      EXPECT_LE(task.id.size(), 63);
    }
  }
  EXPECT_FALSE(IsTaskOf(operation, "cp-1", ""));
  ClusterOperation other = operation;
  other.name = "spring-2";
  EXPECT_FALSE(IsTaskOf(operation, "cp-1", PlanFleet(other, kNodes).waves[0].tasks[0].id));
}

TEST(PlanFleet, SelectsNodesByLabels) {
  std::vector<FleetNode> nodes = kNodes;
  nodes[0].labels = {{"pool", "a"}};
  nodes[2].labels = {{"pool", "b"}};
  ClusterOperation operation = FakeUpgrade();
  operation.spec.node_selector = {{"pool", "a"}};
  EXPECT_THAT(Waves(PlanFleet(operation, nodes)), ElementsAre("workers 1: w-2"));
  operation.spec.node_selector = {{"pool", "c"}};
  EXPECT_THAT(base::MessageOf([&] { PlanFleet(operation, nodes); }),
              HasSubstr("no node has the labels"));
  ClusterOperation renewal = FakeRenewal();
  renewal.spec.node_selector = {{"pool", "a"}};
  EXPECT_THAT(base::MessageOf([&] { PlanFleet(renewal, nodes); }), HasSubstr("only workers"));
}

TEST(PlanFleet, NamesEachTaskAfterOperationAndNode) {
  ClusterOperation operation = FakeUpgrade();
  const FleetPlan plan = PlanFleet(operation, kNodes);
  const std::string id = plan.waves[0].tasks[0].id;
  EXPECT_THAT(id, testing::MatchesRegex("spring-[0-9a-f]{10}"));
  EXPECT_NE(id, plan.waves[0].tasks[1].id);
  operation.uid = "another object of the name";
  EXPECT_NE(id, PlanFleet(operation, kNodes).waves[0].tasks[0].id);
}

TEST(TextOf, ShowsWavesAndCommands) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.canary = {.nodes = 1, .soak = std::chrono::minutes(10)};
  EXPECT_EQ(TextOf(PlanFleet(operation, kNodes)),
            "  1. control planes, 1 at a time\n"
            "     cp-1  drain, upgrade apply v1.37.2 --yes\n"
            "     cp-2  drain, upgrade node\n"
            "  2. canary, 1 at a time, then a pause of 10m0s\n"
            "     w-1   drain, upgrade node\n"
            "  3. workers, 1 at a time\n"
            "     w-2   drain, upgrade node\n"
            "     w-3   drain, upgrade node\n");
}

TEST(PlanFleet, RollsBackOnlyTheUpgradeToTheVersionOfTheRound) {
  ClusterOperation operation = FakeUpgrade();
  EXPECT_THAT(PlanFleet(operation, kNodes).waves[0].tasks[0].rollback, testing::IsEmpty());
  operation.spec.rollback = Rollback::kNode;
  const NodeTask task = PlanFleet(operation, kNodes).waves[0].tasks[0];
  EXPECT_THAT(task.rollback,
              testing::ElementsAre("upgrade", "rollback", "--yes", "--only-to=v1.37.2"));
  EXPECT_EQ(RollbackTaskOf(task).arguments, task.rollback);
  EXPECT_TRUE(IsRollbackTask(RollbackTaskOf(task).id));
  EXPECT_FALSE(IsRollbackTask(task.id));
  EXPECT_TRUE(IsTaskOf(operation, task.node, RollbackTaskOf(task).id));
}

TEST(PlanFleet, DoesNotUndoAnEarlierUpgradeToTheSameVersion) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.rollback = Rollback::kNode;
  EXPECT_THAT(PlanFleet(operation, kNodes, "v1.37.2").waves[0].tasks[0].rollback,
              testing::IsEmpty());
  EXPECT_FALSE(PlanFleet(operation, kNodes, "v1.37.1").waves[0].tasks[0].rollback.empty());
}

TEST(PlanFleet, RollsBackEachHopToTheVersionBefore) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.rollback = Rollback::kNode;
  const FleetPlan plan = PlanFleet(operation, kNodes, "v1.35.4");
  EXPECT_THAT(plan.waves[0].tasks[0].rollback, testing::IsEmpty()) << "checks change nothing";
  EXPECT_THAT(plan.waves[1].tasks[0].rollback.back(), testing::StartsWith("--only-to=v1.36."));
  EXPECT_EQ(plan.waves.back().tasks[0].rollback.back(), "--only-to=v1.37.2");
  EXPECT_THAT(TextOf(plan), testing::EndsWith("is rolled back, and the operation stops\n"));
  operation.name = std::string(40, 'a');
  EXPECT_LE(RollbackTaskOf(PlanFleet(operation, kNodes, "v1.35.4").waves[1].tasks[0]).id.size(),
            63);
}

}  // namespace
}  // namespace fleet
