// SPDX-License-Identifier: Apache-2.0
// The controller against a server with stale lists and watches.
#include "controller/live.h"

#include "controller/fake_controller.h"

namespace controller {
namespace {

using evidence::BindingsObject;
using evidence::ClusterConfigObject;
using evidence::ConfigMapObject;
using evidence::CsrObject;
using evidence::kFakeMachines;
using evidence::MachineObject;
using evidence::NodeObject;
using judgement::FakeWorld;
using kube::resources::kConfigMap;
using kube::resources::kCsr;
using kube::resources::kNode;

constexpr const char* kMachinesPath =
    "/apis/machine.openshift.io/v1beta1/namespaces/machines/machines/";

const std::string kApproval =
    "PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval";

TEST_F(ControllerTest, RefusesASecondCertificateForANodeThatTheWatchMissed) {
  PutMachine("panda");
  server_.Hide("/api/v1/nodes/");
  server_.Put(kNode, NodeObject("panda", "10.0.0.1"));
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilCounted("client-node-exists");
  Until("it is judged again", [this] { return Asked("GET /api/v1/nodes/panda") >= 2; });
  EXPECT_FALSE(Approved("a"));
  server_.Remove(kNode, "", "panda");
  UntilApproved("a");
}

TEST_F(ControllerTest, ApprovesNothingWhileNodesCannotBeRead) {
  PutMachine("panda");
  server_.Inject({.what = "GET /api/v1/nodes/panda",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "no",
                  .times = 1});
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
  EXPECT_EQ(Asked("GET /api/v1/nodes/panda"), 2);
}

TEST_F(ControllerTest, ApprovesNoRequestWhoseChangeTheWatchMissed) {
  Start();
  const json::Value csr = CsrObject(FakeWorld::Client(), "a");
  server_.Put(kCsr, csr);
  UntilCounted("client-no-machine-with-internal-dns");
  server_.Hide("/apis/certificates.k8s.io/v1/certificatesigningrequests/");
  server_.Put(kCsr, csr);  // another version
  PutMachine("panda");
  Until("the approval is refused", [this] { return Asked(kApproval) >= 2; });
  EXPECT_FALSE(Approved("a"));
}

TEST_F(ControllerTest, ApprovesTheVersionThatWasJudgedWithoutAnotherRead) {
  PutMachine("panda");
  Start();
  json::Value csr = CsrObject(FakeWorld::Client(), "a");
  csr["metadata"]["labels"] = {{"team", "a"}};
  server_.Put(kCsr, csr);
  UntilApproved("a");
  EXPECT_EQ(Asked("GET /apis/certificates.k8s.io/v1/certificatesigningrequests/a"), 0);
  EXPECT_EQ(json::TextAt(*server_.Find(kCsr, "", "a"), {"metadata", "labels", "team"}), "a");
}

TEST_F(ControllerTest, IgnoresAMachineWhoseChangeTheWatchMissed) {
  PutMachine("panda");
  Start();
  server_.Hide(kMachinesPath);
  json::Value machine = MachineObject("panda", {{"InternalDNS", "panda"}});
  machine["status"]["nodeRef"] = {{"name", "panda"}};
  server_.Put(kFakeMachines, machine);
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  const std::string read = std::string("GET ") + kMachinesPath + "panda";
  Until("it is judged again", [&] { return Asked(read) >= 2; });
  server_.Remove(kFakeMachines, "machines", "panda");
  const long before = Asked(read);
  Until("it is judged once more", [&] { return Asked(read) > before; });
  EXPECT_FALSE(Approved("a"));
}

TEST_F(ControllerTest, FindsASecondOwnerOnceASilentWatchIsRestarted) {
  EXPECT_EQ(settings_.watch_idle, std::chrono::seconds(150)) << "docs/threat-model-approver.md";
  settings_.watch_idle = std::chrono::milliseconds(100);
  PutMachine("panda");
  Start();
  const std::string watch = "GET /apis/machine.openshift.io/v1beta1/machines?";
  const auto watches = [&] {
    return std::ranges::count_if(server_.Requests(), [&](const std::string& request) {
      return request.starts_with(watch) && request.find("watch=true") != std::string::npos;
    });
  };
  Until("Machines are watched", [&] { return watches() > 0; });
  server_.Mute();
  json::Value second = MachineObject("second", {{"Hostname", "x"}});
  second["status"]["nodeRef"] = {{"name", "panda"}};
  server_.Put(kFakeMachines, second);
  Until("the second one is known", [&] {
    return controller_->MetricsText().find("mapi_max_pending_csr 102\n") != std::string::npos;
  });
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilCounted("client-machine-has-noderef");
  EXPECT_FALSE(Approved("a"));
}

TEST_F(ControllerTest, IgnoresANodeWhoseChangeTheWatchMissed) {
  settings_.inventories = {.machines = {}, .nodes = true};
  server_.Put(kConfigMap, ClusterConfigObject("networking: {serviceSubnet: 10.96.0.0/12}"));
  server_.Put(kube::resources::kEndpointSlice, evidence::ApiServersObject({"10.0.0.9"}));
  server_.Put(kConfigMap, BindingsObject());
  const auto put_node = [this](const std::string& ip) {
    json::Value node = NodeObject("panda", ip);
    node["metadata"]["uid"] = "1";
    server_.Put(kNode, std::move(node));
  };
  FakeWorld world = FakeWorld::Serving();
  world.request.names = {{0x82, "panda"}, {0x87, std::string("\x0A\0\0\1", 4)}};
  put_node("10.0.0.1");
  Start();
  server_.Hide("/api/v1/nodes/");
  put_node("10.0.0.2");
  server_.Put(kCsr, CsrObject(world, "a"));
  Until("it is judged again", [this] { return Asked("GET /api/v1/nodes/panda") >= 2; });
  EXPECT_FALSE(Approved("a"));
  put_node("10.0.0.1");
  UntilApproved("a");
}

TEST_F(ControllerTest, IgnoresAnEntryWhoseRemovalTheWatchMissed) {
  settings_.inventories = {.machines = {}, .config_map = {{.name_space = "ns", .name = "hosts"}}};
  const auto put = [this](const std::string& text) {
    server_.Put(kConfigMap, ConfigMapObject("ns", "hosts", "inventory.yaml", text));
  };
  put("- hostname: panda\n");
  Start();
  Until("the entry is known", [this] {
    return controller_->MetricsText().find("mapi_max_pending_csr 101") != std::string::npos;
  });
  server_.Hide("/api/v1/namespaces/ns/configmaps/");
  put("- hostname: bear\n");
  const long before = Asked("GET /api/v1/namespaces/ns/configmaps/hosts");
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  Until("it is judged again",
        [&] { return Asked("GET /api/v1/namespaces/ns/configmaps/hosts") >= before + 2; });
  EXPECT_FALSE(Approved("a"));
  put("- hostname: panda\n");
  UntilApproved("a");
}

}  // namespace
}  // namespace controller
