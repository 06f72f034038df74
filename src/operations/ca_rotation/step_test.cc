// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/step.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/fake_error.h"
#include "ca_rotation/fake_authority.h"
#include "ca_rotation/node_marks.h"
#include "ca_rotation/pair.h"
#include "ca_rotation/record.h"
#include "ca_rotation/rotation.h"
#include "certs/fake_context.h"
#include "cri/fake_runtime.h"
#include "engine/operation.h"
#include "kube/fake_server.h"
#include "kube/kubeconfig.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {
namespace {

using components::Component;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace resources = kube::resources;

constexpr const char* kKubeletConf = "/etc/kubernetes/kubelet.conf";

// A worker "w1". Its kubelet and the cluster's controller manager renew their Leases.
class StepTest : public testing::Test {
 protected:
  StepTest() {
    made_.MakeAll();
    kube::Kubeconfig conf;
    conf.clusters["c"] = {.server = "https://a:6443",
                          .certificate_authority_data = made_.Text("ca.crt")};
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    conf.users["u"] = {.client_certificate_data = KubeletCertificate(key).Pem(),
                       .client_key_data = key.Pem()};
    conf.contexts["x"] = {.cluster = "c", .user = "u"};
    conf.current_context = "x";
    made_.fake.files.Write(kKubeletConf, conf.Text(), {});
    made_.fake.files.Write("/var/lib/kubelet/config.yaml", "healthzPort: 0\n", {});
    PutLease("kube-node-lease", "w1");
    PutLease("kube-system", "kube-controller-manager");
    server_.Put(resources::kNode, {{"metadata",
                                    {{"name", "w1"},
                                     {"labels", {{"node-role.kubernetes.io/control-plane", ""}}},
                                     {"annotations", json::Value::object()}}}});
  }

  pki::Certificate KubeletCertificate(const pki::PrivateKey& key) {
    return pki::Sign(
        {.subject = {.common_name = "system:node:w1", .organizations = {"system:nodes"}},
         .alt_names = {},
         .usages = {pki::ExtendedKeyUsage::kClientAuth},
         .not_before = certs::FakeContext::kStart,
         .not_after = certs::FakeContext::kStart + std::chrono::hours(1)},
        key.Public(), certs::LoadCa(made_.fake.files, certs::FakeContext::kDir, "ca"));
  }

  void PutLease(const std::string& name_space, const std::string& name) {
    server_.Put(resources::kLease, {{"metadata", {{"name", name}, {"namespace", name_space}}},
                                    {"spec", {{"renewTime", "2099-01-01T00:00:00.000000Z"}}}});
  }

  Node At(std::string_view authority, bool control_plane) {
    return {.host = made_.fake.host,
            .authority = Named(authority),
            .reporter = reporter_,
            .config = made_.config,
            .name = "w1",
            .control_plane = control_plane,
            .new_client =
                [this] {
                  return kube::Client(server_.NewTransport(), made_.fake.clock,
                                      {.limit = std::chrono::milliseconds(200), .grace = {}});
                },
            .connect_runtime = [] { return std::make_unique<cri::FakeRuntime>(); },
            .say = [this](const std::string& line) { lines_.push_back(line); },
            .remedy = "try again"};
  }

  // Returns another authority, whose key is not on the worker.
  RotationRecord NewAuthority() {
    const Anchor fresh = ParseAnchors(made_.Text("front-proxy-ca.crt")).front();
    return {.pin = fresh.pin, .pem = fresh.pem, .step = Step::kTrust};
  }

  std::vector<std::string> LivePins(const Node& node) {
    std::vector<std::string> pins;
    for (const Anchor& anchor : LiveAnchors(node.place())) {
      pins.push_back(anchor.pin);
    }
    return pins;
  }

  certs::FakeContext made_;
  kube::FakeApiServer server_;
  std::vector<std::string> lines_;
  std::vector<std::string> phases_;  // the completed phases
  base::ShowLine on_line_ = [](const std::string&) {};
  workflow::Reporter reporter_{
      made_.fake.clock, {[this](const workflow::Event& event) {
        if (const auto* message = std::get_if<workflow::event::Message>(&event.what)) {
          lines_.push_back(message->text);
          on_line_(message->text);
        } else if (const auto* done = std::get_if<workflow::event::PhaseFinished>(&event.what)) {
          phases_.push_back(done->phase);
        }
      }}};
};

TEST_F(StepTest, AWorkerTrustsTheNewAuthorityAndRestartsItsKubelet) {
  made_.fake.processes.AddExecutable("systemctl");
  const Node node = At("kubernetes", false);
  const std::string old = LivePins(node).front();
  const RotationRecord record = NewAuthority();
  const StepOutcome outcome = RunStep(node, record, Step::kTrust, {});
  EXPECT_THAT(LivePins(node), ElementsAre(old, record.pin));
  EXPECT_THAT(made_.fake.files.Read(kKubeletConf), HasSubstr("certificate-authority-data"));
  EXPECT_THAT(outcome.restarted, ElementsAre("kubelet"));
  EXPECT_THAT(phases_, ElementsAre("backup", "files", "mark"));
  // The backup has the file's own path.
  EXPECT_TRUE(std::filesystem::exists(outcome.backup + kKubeletConf));
  EXPECT_THAT(outcome.backup, HasSubstr("/kubeadm-rotate-ca-kubernetes-trust-"));
  EXPECT_THAT(made_.fake.processes.changes(), Contains("systemctl restart kubelet"));
  EXPECT_THAT(lines_,
              ElementsAre(HasSubstr("[rotate-ca] Copies of replaced files are in "),
                          "[rotate-ca] Restarting the kubelet", "[rotate-ca] The kubelet is back"));
  kube::Client client = node.new_client();
  EXPECT_EQ(StateOf(client, "w1", node.authority, record.pin).done, Step::kTrust);
}

TEST_F(StepTest, RestoresFilesOfAWorkerWhoseKubeletDoesNotRestart) {
  made_.fake.processes.On("systemctl", {.exit_code = 4, .err = "no such unit"});
  const Node node = At("kubernetes", false);
  const std::vector<std::string> before = LivePins(node);
  const RotationRecord record = NewAuthority();
  EXPECT_THAT(base::MessageOf([&] { RunStep(node, record, Step::kTrust, {}); }),
              HasSubstr("no such unit; the old files are back\ntry again"));
  EXPECT_EQ(LivePins(node), before);
  kube::Client client = node.new_client();
  EXPECT_EQ(StateOf(client, "w1", node.authority, record.pin).done, std::nullopt);
}

// The first run restarts the kubelet, but cannot annotate the Node. The second run must annotate it
// without another restart.
TEST_F(StepTest, ResumesAnInterruptedStepWithoutAnotherRestart) {
  made_.fake.processes.AddExecutable("systemctl");
  const Node node = At("kubernetes", false);
  const RotationRecord record = NewAuthority();
  server_.Inject({.what = "PATCH /api/v1/nodes/w1",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "not now",
                  .times = 1});
  EXPECT_THAT(base::MessageOf([&] { RunStep(node, record, Step::kTrust, {}); }),
              HasSubstr("not now"));
  const std::size_t restarts = made_.fake.processes.changes().size();
  const StepOutcome outcome = RunStep(node, record, Step::kTrust, {});
  EXPECT_EQ(made_.fake.processes.changes().size(), restarts);
  EXPECT_TRUE(std::filesystem::exists(outcome.backup + kKubeletConf)) << "that of the first run";
  kube::Client client = node.new_client();
  EXPECT_EQ(StateOf(client, "w1", node.authority, record.pin).done, Step::kTrust);
  EXPECT_FALSE(engine::LoadJournal(made_.fake.files, "rotate-ca-kubernetes-trust"));
}

// The first run is interrupted while it waits for the kubelet, with all files written. In the
// second run the kubelet's restart fails. This run must restore the old files.
TEST_F(StepTest, RestoresFilesThatAnInterruptedRunReplaced) {
  made_.fake.processes.AddExecutable("systemctl");
  server_.Put(resources::kLease, {{"metadata", {{"name", "w1"}, {"namespace", "kube-node-lease"}}},
                                  {"spec", {{"renewTime", "2000-01-01T00:00:00.000000Z"}}}});
  Node node = At("kubernetes", false);
  const std::vector<std::string> before = LivePins(node);
  const RotationRecord record = NewAuthority();
  std::stop_source stop;
  node.stop = stop.get_token();
  on_line_ = [&](const std::string& line) {
    if (line.ends_with("Restarting the kubelet")) {
      stop.request_stop();
    }
  };
  EXPECT_THROW(RunStep(node, record, Step::kTrust, {}), base::Interrupted);
  EXPECT_THAT(LivePins(node), Contains(record.pin)) << "an interrupt restores nothing";

  made_.fake.processes.On("systemctl", {.exit_code = 4, .err = "no such unit"});
  EXPECT_THAT(base::MessageOf([&] { RunStep(At("kubernetes", false), record, Step::kTrust, {}); }),
              HasSubstr("the old files are back"));
  EXPECT_EQ(LivePins(node), before);
}

TEST_F(StepTest, RemovesAPartialBackup) {
  const Node node = At("kubernetes", false);
  const std::vector<std::string> before = LivePins(node);
  const std::time_t now = std::chrono::system_clock::to_time_t(made_.fake.clock.Now());
  const std::string directory =
      fmt::format("/etc/kubernetes/tmp/kubeadm-rotate-ca-kubernetes-trust-{:%Y-%m-%d-%H-%M-%S}",
                  fmt::localtime(now));
  made_.fake.files.FailWritesTo(directory + kKubeletConf);
  const RotationRecord record = NewAuthority();
  EXPECT_THROW(RunStep(node, record, Step::kTrust, {}), base::Error);
  EXPECT_FALSE(made_.fake.files.Exists(directory));
  EXPECT_EQ(LivePins(node), before);
}

TEST_F(StepTest, RepeatsAStepWhoseFilesWereRestored) {
  made_.fake.processes.AddExecutable("systemctl");
  const Node node = At("kubernetes", false);
  const RotationRecord record = NewAuthority();
  const std::string old = made_.Text("ca.crt");
  const std::string conf = made_.fake.files.Read(kKubeletConf);
  server_.Inject({.what = "PATCH /api/v1/nodes/w1",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "not now",
                  .times = 1});
  EXPECT_THROW(RunStep(node, record, Step::kTrust, {}), base::Error);
  made_.Write("ca.crt", old);
  made_.fake.files.Write(kKubeletConf, conf, {});
  const std::size_t restarts = made_.fake.processes.changes().size();
  RunStep(node, record, Step::kTrust, {});
  EXPECT_GT(made_.fake.processes.changes().size(), restarts);
  EXPECT_THAT(LivePins(node), Contains(record.pin));
}

TEST_F(StepTest, AControlPlaneReplacesTheKeyOfTokensInThreeSteps) {
  const Node node = At("sa", true);
  const std::string old = LivePins(node).front();
  Begin(node, CollectSituation(node, {}));
  for (const Step step : kSteps) {
    const Situation situation = CollectSituation(node, {.early = true});
    ASSERT_EQ(Decide(situation).kind, Decision::Kind::kStep) << NameOf(step);
    ASSERT_EQ(Decide(situation).step, step);
    RunStep(node, situation.record.value(), step, {.early = true});
  }
  const Situation end = CollectSituation(node, {});
  EXPECT_EQ(Decide(end).kind, Decision::Kind::kFinished);
  EXPECT_THAT(LivePins(node), ElementsAre(end.record->pin));
  EXPECT_NE(end.record->pin, old);
  EXPECT_THAT(NodesBehind(end, Step::kDrop), IsEmpty());
  EXPECT_FALSE(made_.fake.files.Exists(node.place().Directory()));
}

TEST_F(StepTest, RefusesAnMlDsaKeyThatTheClusterCannotUse) {
  config::ClusterConfiguration& cluster = made_.config.cluster;
  cluster.encryption_algorithm = "ML-DSA-65";
  const auto refusal_of = [&](const char* authority) {
    const Node node = At(authority, true);
    return base::MessageOf([&] { Begin(node, CollectSituation(node, {})); });
  };
  for (const Authority& authority : Authorities()) {
    if (!At(authority.name, true).Rotates(certs::kEtcdCa)) {
      cluster.kubernetes_version = "v1.37.2";
      EXPECT_THAT(refusal_of(authority.name.data()),
                  HasSubstr("nothing was changed: the components of Kubernetes v1.37.2"));
    }
  }
  cluster.kubernetes_version = "v1.38.0-beta.0";
  EXPECT_THAT(refusal_of("sa"), HasSubstr("ServiceAccountTokenMLDSA=true"));
  EXPECT_THAT(LivePins(At("sa", true)), testing::SizeIs(1));
  EXPECT_FALSE(made_.fake.files.Exists(At("sa", true).place().Directory()));
  server_.Put(resources::kNode, {{"metadata", {{"name", "w2"}}},
                                 {"status", {{"nodeInfo", {{"kubeletVersion", "v1.37.2"}}}}}});
  EXPECT_THAT(refusal_of("kubernetes"), HasSubstr("the kubelet of node w2 is of v1.37.2"));
}

TEST_F(StepTest, BeginsWithAnMlDsaKeyThatTheClusterCanUse) {
  config::ClusterConfiguration& cluster = made_.config.cluster;
  cluster.encryption_algorithm = "ML-DSA-65";
  cluster.kubernetes_version = "v1.38.0-beta.0";
  const config::Args gate = {{.name = "feature-gates", .value = "ServiceAccountTokenMLDSA=true"}};
  cluster.api_server.component.extra_args = gate;
  cluster.controller_manager.extra_args = gate;
  for (const char* authority : {"sa", "kubernetes", "front-proxy", "etcd"}) {
    const Node node = At(authority, true);
    Begin(node, CollectSituation(node, {}));
    const auto key = certs::LoadKey(made_.fake.files, SavedKeyPath(node.place(), Generation::kNew));
    EXPECT_EQ(key.Public().AlgorithmText() == "ML-DSA-65", !node.Rotates(certs::kEtcdCa));
  }
}

TEST_F(StepTest, OnlyNodesThatAStepWouldWaitForAreLeftBehind) {
  server_.Put(resources::kNode, {{"metadata", {{"name", "w2"}}}});
  const Node node = At("kubernetes", true);
  const Situation situation = CollectSituation(node, {.leave_behind = {"w2"}});
  EXPECT_TRUE(std::ranges::find(situation.nodes, "w2", &NodeState::name)->left_behind);
  EXPECT_THAT(base::MessageOf([&] { CollectSituation(node, {.leave_behind = {"w3"}}); }),
              HasSubstr("\"w3\": no step waits for a node of that name"));
  EXPECT_THAT(base::MessageOf([&] { CollectSituation(node, {.leave_behind = {"w1"}}); }),
              HasSubstr("this is the node itself"));
  EXPECT_THAT(
      base::MessageOf([&] { CollectSituation(At("kubernetes", false), {.leave_behind = {"w2"}}); }),
      HasSubstr("a worker waits for no other"));
}

TEST_F(StepTest, KeepsTheOldKeyWhileASecretHasATokenOfThatKey) {
  const Node node = At("sa", true);
  Begin(node, CollectSituation(node, {}));
  const RotationRecord record = CollectSituation(node, {}).record.value();
  RunStep(node, record, Step::kTrust, {});
  const std::string before = made_.Text("sa.pub");
  server_.Inject({.what = "GET /api/v1/secrets",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "secrets may not be listed",
                  .times = -1});
  EXPECT_THAT(base::MessageOf([&] { RunStep(node, record, Step::kDrop, {}); }),
              HasSubstr("secrets may not be listed"));
  EXPECT_EQ(made_.Text("sa.pub"), before);
}

TEST_F(StepTest, RestartsAnApiServerThatVerifiesKubelets) {
  const Node node = At("kubernetes", true);
  const StepRow& row = RowOf(node.authority, Step::kTrust);
  EXPECT_THAT(RestartsHere(node, row).components,
              ElementsAre(Component::kControllerManager, Component::kScheduler));
  static_pods::WriteManifest(
      made_.fake.files, Component::kApiServer,
      {{"spec",
        {{"containers",
          {{{"command", {"kube-apiserver", "--kubelet-certificate-authority=/x"}}}}}}}});
  EXPECT_THAT(
      RestartsHere(node, row).components,
      ElementsAre(Component::kApiServer, Component::kControllerManager, Component::kScheduler));
  EXPECT_THAT(RestartsHere(At("kubernetes", false), row).components, IsEmpty());
}

TEST_F(StepTest, EachRunDoesOneStepUntilAllAreDone) {
  const Node node = At("sa", true);
  EXPECT_EQ(CollectReport(node, {}).decision.kind, Decision::Kind::kBegin);
  for (const Step step : kSteps) {
    const Report report = Rotate(node, {.options = {.early = true}});
    EXPECT_EQ(report.decision.kind, Decision::Kind::kStep);
    EXPECT_EQ(report.decision.step, step);
    EXPECT_THAT(report.outcome.value().step.restarted, Not(IsEmpty()));
    EXPECT_EQ(lines_.back(), NextText(report.situation, step, {}));
  }
  const Report end = Rotate(node, {});
  EXPECT_EQ(end.decision.kind, Decision::Kind::kFinished);
  EXPECT_THAT(end.outcome.value().step.restarted, IsEmpty());
}

TEST_F(StepTest, ExplainsWhyThereIsNoStep) {
  EXPECT_THAT(base::MessageOf([&] { Rotate(At("kubernetes", false), {}); }),
              HasSubstr("no rotation of the certificate authority of Kubernetes has begun"));
}

TEST_F(StepTest, TakesTheNodesNameFromItsKubelet) {
  const auto opening = [&](std::string_view authority) {
    return Opening{.host = made_.fake.host,
                   .authority = Named(authority),
                   .reporter = reporter_,
                   .kubeconfig = "/etc/kubernetes/admin.conf",
                   .certs_dir = certs::FakeContext::kDir,
                   .load_config = [this](std::chrono::milliseconds) { return made_.config; }};
  };
  const Node worker = OpenNode(opening("kubernetes"), Patience::kOneTry);
  EXPECT_EQ(worker.name, "w1");
  EXPECT_FALSE(worker.control_plane);
  EXPECT_THAT(base::MessageOf([&] { OpenNode(opening("etcd"), Patience::kOneTry); }),
              HasSubstr("workers do not use the"));
  made_.fake.files.Write(components::ManifestPath(Component::kApiServer), "kind: Pod\n", {});
  EXPECT_TRUE(OpenNode(opening("etcd"), Patience::kOneTry).control_plane);
  made_.fake.files.Remove(kKubeletConf);
  EXPECT_THAT(base::MessageOf([&] { OpenNode(opening("etcd"), Patience::kOneTry); }),
              HasSubstr("not a node that kubeadm has made"));
}

TEST_F(StepTest, WaitsTheConfiguredTimeForARestartIfThatIsLonger) {
  Node node = At("kubernetes", true);
  EXPECT_EQ(node.RestartPatience(), std::chrono::minutes(4));
  node.config.init.timeouts.emplace().kubernetes_api_call = std::chrono::minutes(1);
  EXPECT_EQ(node.RestartPatience(), std::chrono::minutes(4));
  node.config.init.timeouts->kubernetes_api_call = std::chrono::minutes(5);
  EXPECT_EQ(node.RestartPatience(), std::chrono::minutes(5));
}

}  // namespace
}  // namespace ca_rotation
