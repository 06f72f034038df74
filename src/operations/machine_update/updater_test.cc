// SPDX-License-Identifier: Apache-2.0
#include "machine_update/updater.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/cluster_operation.h"
#include "kube/fake_cluster.h"
#include "machine_update/fake_machine.h"

namespace machine_update {
namespace {

using base::Error;
using kube::resources::kConfigMap;
using kube::resources::kNode;
using kube::resources::kSecret;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Stage = UpdateState::Stage;

// The fixture's server is the management cluster's; `workload_` is that of the workload cluster.
class UpdaterTest : public kube::FakeCluster {
 protected:
  void SetUp() override {
    PutMachine(server_, FakeMachine());
    workload_.Put(kConfigMap, FakeStoredConfig(kNew));
    workload_.Put(kNode, FakeVersionedNode("node-m", kOld, true));
  }
  void UseWorker() {
    server_.Put(kMachine, FakeMachine(false));
    workload_.Put(kNode, FakeVersionedNode("node-m", kOld, false));
    workload_.Put(kNode, FakeVersionedNode("cp-1", kNew, true));
  }
  UpdateState Update(const KubeletSource& kubelets = {.image = {}, .command = "get kubelet"}) {
    const Updater updater({.management = client_,
                           .connect =
                               [this](const std::string& kubeconfig) {
                                 EXPECT_EQ(kubeconfig, "the kubeconfig");
                                 return workload_.NewTransport();
                               },
                           .clock = clock_,
                           .kubelets = kubelets});
    return updater.Update(kSpace, "m");
  }
  std::vector<json::Value> Operations() {
    return workload_client_.List(fleet::kClusterOperation, "");
  }
  // Sets the status of the only operation.
  void SetStatus(const char* phase, const char* message = "") {
    json::Value operation = Operations().at(0);
    operation["status"] = {{"phase", phase}, {"message", message}};
    workload_.Put(fleet::kClusterOperation, operation);
  }

  kube::FakeApiServer workload_;
  kube::Client workload_client_{workload_.NewTransport(), clock_, Once()};
};

TEST_F(UpdaterTest, CreatesAnOperationOnceAndReportsItsState) {
  UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kRunning) << state.message;
  ASSERT_EQ(Operations().size(), 1);
  EXPECT_EQ(json::TextAt(Operations()[0], {"spec", "nodeSelector", "kubernetes.io/hostname"}),
            "node-m.example");
  SetStatus("Running", "0/1 done");
  state = Update();
  EXPECT_EQ(state.stage, Stage::kRunning);
  EXPECT_THAT(state.message, HasSubstr("Running, 0/1 done"));
  SetStatus("Complete");
  workload_.Put(kNode, FakeVersionedNode("node-m", kNew, true));
  EXPECT_EQ(Update().stage, Stage::kDone);
  EXPECT_EQ(Operations().size(), 1);
}

TEST_F(UpdaterTest, FailsWithTheCauseAndTheRemedy) {
  Update();
  SetStatus("Failed", "node-m: no image");
  const UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kFailed);
  EXPECT_THAT(state.message, AllOf(HasSubstr("node-m: no image"),
                                   HasSubstr("kubectl delete clusteroperation machine-")));
}

TEST_F(UpdaterTest, FailsIfTheKubeletHasAnotherVersionAtTheEnd) {
  Update();
  SetStatus("Complete");
  const UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kFailed);
  EXPECT_THAT(state.message, HasSubstr("has version v1.36.3 instead of v1.37.2"));
}

TEST_F(UpdaterTest, ChangesNothingUnlessClusterApiWaitsForTheUpdate) {
  for (const char* annotation : {"in-place-updates.internal.cluster.x-k8s.io/update-in-progress",
                                 "runtime.cluster.x-k8s.io/pending-hooks"}) {
    json::Value machine = FakeMachine();
    machine["metadata"]["annotations"].erase(annotation);
    server_.Put(kMachine, machine);
    const UpdateState state = Update();
    EXPECT_EQ(state.stage, Stage::kFailed);
    EXPECT_THAT(state.message, HasSubstr("does not wait"));
  }
  EXPECT_THAT(Operations(), IsEmpty());
}

TEST_F(UpdaterTest, FailsForAMachineWithoutNodeOrKubeadmConfig) {
  json::Value machine = FakeMachine();
  machine.erase("status");
  server_.Put(kMachine, machine);
  EXPECT_THAT(Update().message, HasSubstr("no node yet"));
  machine = FakeMachine();
  machine["spec"]["bootstrap"]["configRef"]["kind"] = "OtherConfig";
  server_.Put(kMachine, machine);
  EXPECT_THAT(Update().message, HasSubstr("not a KubeadmConfig"));
  server_.Remove(kMachine, kSpace, "m");
  EXPECT_EQ(Update().stage, Stage::kFailed);
}

TEST_F(UpdaterTest, NamesTheMissingKindAndTheInstallation) {
  workload_.Inject({.what = "POST /apis/operations.slipway",
                    .status = 404,
                    .reason = "NotFound",
                    .message = "the server could not find the requested resource",
                    .times = -1});
  const UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kFailed);
  EXPECT_THAT(state.message, AllOf(HasSubstr("does not know the kind ClusterOperation"),
                                   HasSubstr("kubectl apply -k deploy/fleet")));
}

TEST_F(UpdaterTest, NamesASilentOperatorAfterSomeMinutes) {
  Update();
  json::Value operation = Operations().at(0);
  operation["metadata"]["creationTimestamp"] = "2001-01-01T00:00:00Z";
  workload_.Put(fleet::kClusterOperation, operation);
  const UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kFailed);
  EXPECT_THAT(state.message, HasSubstr("no operator works on ClusterOperation"));
}

TEST_F(UpdaterTest, RetriesWhileTheWorkloadClusterDoesNotAnswer) {
  workload_.Inject({.what = "GET ", .status = 503, .reason = "", .message = "down", .times = -1});
  EXPECT_EQ(Update().stage, Stage::kRunning);
}

TEST_F(UpdaterTest, FailsWithoutTheKubeconfig) {
  server_.Put(kSecret, {{"metadata", {{"name", "c-kubeconfig"}, {"namespace", kSpace}}}});
  EXPECT_THAT(Update().message, HasSubstr("Secret team/c-kubeconfig lacks the entry \"value\""));
  server_.Remove(kSecret, kSpace, "c-kubeconfig");
  EXPECT_EQ(Update().stage, Stage::kFailed);
}

TEST_F(UpdaterTest, WaitsUntilTheClusterHasTheVersion) {
  workload_.Put(kConfigMap, FakeStoredConfig(kOld));
  const UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kRunning);
  EXPECT_THAT(state.message, HasSubstr("now of v1.36.3"));
  EXPECT_THAT(Operations(), IsEmpty());
}

TEST_F(UpdaterTest, UpdatesAWorkerAfterAllControlPlanes) {
  UseWorker();
  workload_.Put(kNode, FakeVersionedNode("cp-2", kOld, true));
  const UpdateState state = Update();
  EXPECT_EQ(state.stage, Stage::kRunning);
  EXPECT_THAT(state.message, HasSubstr("waits for the control planes: cp-2 (v1.36.3)"));
  EXPECT_THAT(Operations(), IsEmpty());
  workload_.Put(kNode, FakeVersionedNode("cp-2", kNew, true));
  Update();
  EXPECT_EQ(Operations().size(), 1);
}

TEST_F(UpdaterTest, FailsForAVersionThatTheRulesDoNotCover) {
  workload_.Put(kNode, FakeVersionedNode("node-m", "v1.35.1", true));
  EXPECT_THAT(Update().message, HasSubstr("not upgraded to v1.37.2 in one step"));
  workload_.Put(kNode, FakeVersionedNode("node-m", kOld, true));
  EXPECT_THAT(Update({}).message, HasSubstr("neither --kubelet-image nor --kubelet-command"));
  workload_.Put(kConfigMap, FakeStoredConfig("v1.37.9"));
  EXPECT_THAT(Update().message, HasSubstr("has version v1.37.9, and the Machine v1.37.2"));
  EXPECT_THAT(Operations(), IsEmpty());
}

TEST_F(UpdaterTest, ReadsTheVersionOfTheCluster) {
  const Updater updater({.management = client_,
                         .connect = [this](const std::string&) { return workload_.NewTransport(); },
                         .clock = clock_,
                         .kubelets = {}});
  EXPECT_EQ(updater.CollectVersionOf(kSpace, "c"), kNew);
  workload_.Put(kConfigMap, FakeStoredConfig("none"));
  EXPECT_EQ(base::Thrown([&] { updater.CollectVersionOf(kSpace, "c"); }).kind(),
            Error::Kind::kInvalid);
}

}  // namespace
}  // namespace machine_update
