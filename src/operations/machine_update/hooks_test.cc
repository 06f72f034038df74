// SPDX-License-Identifier: Apache-2.0
#include "machine_update/hooks.h"

#include <gmock/gmock.h>

#include "base/strings.h"
#include "kube/fake_cluster.h"
#include "machine_update/fake_machine.h"

namespace machine_update {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPrefix = "/hooks.runtime.cluster.x-k8s.io/v1alpha1/";

json::Value Request(const std::string& hook) {
  return {{"apiVersion", "hooks.runtime.cluster.x-k8s.io/v1alpha1"}, {"kind", hook + "Request"}};
}

// Returns the objects of CanUpdateMachine for a version.
json::Value Objects(const char* version) {
  json::Value machine = FakeMachine();
  machine["spec"]["version"] = version;
  return {{"machine", machine}, {"bootstrapConfig", FakeKubeadmConfig()}};
}

// Returns the objects of CanUpdateMachineSet for a version.
json::Value SetObjects(const char* version) {
  return {{"machineSet",
           {{"kind", "MachineSet"},
            {"metadata", {{"name", "s"}, {"namespace", kSpace}}},
            {"spec", {{"clusterName", "c"}, {"template", {{"spec", {{"version", version}}}}}}}}},
          {"bootstrapConfigTemplate",
           {{"kind", "KubeadmConfigTemplate"},
            {"spec", {{"template", {{"spec", json::Value::object()}}}}}}}};
}

// Returns the patch in a field of a response; null if it has none.
json::Value PatchIn(const json::Value& response, const char* field) {
  const std::string text = json::TextAt(response, {field, "patch"});
  return text.empty() ? json::Value() : json::Parse(base::Base64Decode(text));
}

class HooksTest : public kube::FakeCluster {
 protected:
  void SetUp() override {
    PutMachine(server_, FakeMachine());
    server_.Put(kube::resources::kConfigMap, FakeStoredConfig(kNew));
    server_.Put(kube::resources::kNode, FakeVersionedNode("node-m", kOld, true));
  }
  http::ServerReply Post(const std::string& path, std::string body) {
    return endpoint_.Answer({.path = kPrefix + path, .bearer_token = {}, .body = std::move(body)});
  }
  json::Value Call(const std::string& path, const json::Value& request) {
    const http::ServerReply reply = Post(path, json::Compact(request));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::Parse(reply.body);
  }
  json::Value CanUpdate(const json::Value& current, const json::Value& desired) {
    json::Value request = Request("CanUpdateMachine");
    request["current"] = current;
    request["desired"] = desired;
    return Call("canupdatemachine/can-update-machine", request);
  }
  json::Value CanUpdateSet(const json::Value& current, const json::Value& desired) {
    json::Value request = Request("CanUpdateMachineSet");
    request["current"] = current;
    request["desired"] = desired;
    return Call("canupdatemachineset/can-update-machine-set", request);
  }
  json::Value Update(const json::Value& machine) {
    json::Value request = Request("UpdateMachine");
    request["desired"] = {{"machine", machine}};
    return Call("updatemachine/update-machine", request);
  }

  // The management cluster and the workload cluster have the same server.
  const Updater updater_{{.management = client_,
                          .connect = [this](const std::string&) { return server_.NewTransport(); },
                          .clock = clock_,
                          .kubelets = {.image = "kubelets:1", .command = {}}}};
  const HookEndpoint endpoint_{updater_};
};

TEST_F(HooksTest, DiscoversTheHandlersOfThreeHooks) {
  const json::Value response = Call("discovery", Request("Discovery"));
  EXPECT_EQ(response["kind"], "DiscoveryResponse");
  EXPECT_EQ(response["status"], "Success");
  std::vector<std::string> hooks;
  for (const json::Value& handler : response["handlers"]) {
    hooks.push_back(json::TextAt(handler, {"requestHook", "hook"}));
    EXPECT_EQ(json::TextAt(handler, {"requestHook", "apiVersion"}),
              "hooks.runtime.cluster.x-k8s.io/v1alpha1");
    EXPECT_TRUE(base::IsDns1123Label(json::TextAt(handler, {"name"})));
  }
  EXPECT_THAT(hooks, ElementsAre("CanUpdateMachine", "CanUpdateMachineSet", "UpdateMachine"));
}

TEST_F(HooksTest, PatchesTheVersionOfAMachine) {
  const json::Value response = CanUpdate(Objects(kOld), Objects(kNew));
  EXPECT_EQ(response["status"], "Success");
  EXPECT_EQ(json::TextAt(response, {"machinePatch", "patchType"}), "JSONMergePatch");
  EXPECT_EQ(PatchIn(response, "machinePatch"), json::Value({{"spec", {{"version", kNew}}}}));
  EXPECT_TRUE(PatchIn(response, "bootstrapConfigPatch").is_null());
}

TEST_F(HooksTest, PatchesTheArgumentsOfAMachine) {
  json::Value desired = Objects(kNew);
  const json::Value arguments = json::Value::array({{{"name", "v"}, {"value", "4"}}});
  desired["bootstrapConfig"]["spec"]["clusterConfiguration"]["apiServer"]["extraArgs"] = arguments;
  EXPECT_EQ(
      PatchIn(CanUpdate(Objects(kNew), desired), "bootstrapConfigPatch"),
      json::Value(
          {{"spec", {{"clusterConfiguration", {{"apiServer", {{"extraArgs", arguments}}}}}}}}));
}

TEST_F(HooksTest, PatchesTheVersionOfAMachineSet) {
  const json::Value response = CanUpdateSet(SetObjects(kOld), SetObjects(kNew));
  EXPECT_EQ(response["status"], "Success") << response;
  EXPECT_EQ(PatchIn(response, "machineSetPatch"),
            json::Value({{"spec", {{"template", {{"spec", {{"version", kNew}}}}}}}}));
}

TEST_F(HooksTest, LeavesAMachineSetThatIsOlderThanItsCluster) {
  EXPECT_TRUE(
      PatchIn(CanUpdateSet(SetObjects("v1.35.1"), SetObjects(kOld)), "machineSetPatch").is_null());
}

TEST_F(HooksTest, LeavesMachinesOfOtherBootstrapProviders) {
  json::Value desired = Objects(kNew);
  desired["bootstrapConfig"]["kind"] = "OtherConfig";
  EXPECT_FALSE(CanUpdate(Objects(kOld), desired).contains("machinePatch"));
  json::Value set = SetObjects(kNew);
  set.erase("bootstrapConfigTemplate");
  EXPECT_FALSE(CanUpdateSet(SetObjects(kOld), set).contains("machineSetPatch"));
}

TEST_F(HooksTest, UpdatesAMachine) {
  const json::Value response = Update(FakeMachine());
  EXPECT_EQ(response["kind"], "UpdateMachineResponse");
  EXPECT_EQ(response["status"], "Success") << response;
  EXPECT_GT(response["retryAfterSeconds"], 0);
}

TEST_F(HooksTest, ReportsAFailedUpdate) {
  server_.Remove(kMachine, kSpace, "m");
  const json::Value response = Update(FakeMachine());
  EXPECT_EQ(response["status"], "Failure");
  EXPECT_THAT(json::TextAt(response, {"message"}), HasSubstr("not found"));
}

TEST_F(HooksTest, RefusesBodiesThatAreNotTheHooksRequest) {
  const std::string other = json::Compact(Request("CanUpdateMachine"));
  for (const std::string& body : {std::string(), std::string("{"), std::string("[]"),
                                  std::string("null"), std::string(100'000, '['), other}) {
    EXPECT_EQ(Post("updatemachine/update-machine", body).status, 400) << body.substr(0, 20);
  }
  EXPECT_EQ(Post("none", other).status, 404);
  EXPECT_EQ(
      endpoint_.Answer({.path = std::string(kPrefix) + "discovery", .bearer_token = {}}).status,
      405);
}

TEST_F(HooksTest, FailsForRequestsWithoutTheirObjects) {
  EXPECT_EQ(Update(nullptr)["status"], "Failure");
  EXPECT_EQ(CanUpdate(nullptr, nullptr)["status"], "Failure");
  EXPECT_EQ(CanUpdate({{"machine", 1}}, {{"machine", "x"}})["status"], "Failure");
  EXPECT_EQ(CanUpdateSet(Objects(kOld), Objects(kNew))["status"], "Failure");
  for (const char* name : {"../../secrets", "a/b", "", "A"}) {
    json::Value machine = FakeMachine();
    machine["metadata"]["namespace"] = name;
    EXPECT_THAT(json::TextAt(Update(machine), {"message"}), HasSubstr("invalid name"));
  }
}

TEST_F(HooksTest, AnswersProbes) {
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(endpoint_.Answer({.path = path, .bearer_token = {}}).status, 200);
  }
}

}  // namespace
}  // namespace machine_update
