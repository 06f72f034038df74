// SPDX-License-Identifier: Apache-2.0
#include "endpoint/operation.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"
#include "kube/kubeconfig.h"

namespace endpoint {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
namespace resources = kube::resources;

constexpr const char* kNew = "api.example.org:6443";
constexpr const char* kAdmin = "/etc/kubernetes/admin.conf";

std::string Conf(const std::string& server) {
  kube::Kubeconfig conf;
  conf.clusters["c"] = {.server = server};
  conf.users["u"] = {.token = "t"};
  conf.contexts["x"] = {.cluster = "c", .user = "u"};
  conf.current_context = "x";
  return conf.Text();
}

json::Value ConfigMap(const char* name_space, const char* name, const char* key) {
  return {{"metadata", {{"name", name}, {"namespace", name_space}}},
          {"data", {{key, Conf("https://old:6443")}, {"jws-kubeconfig-abcdef", "signature"}}}};
}

// A control plane whose API server serves the certificate on disk.
class OperationTest : public testing::Test {
 protected:
  OperationTest() {
    made_.config.cluster.api_server.cert_sans = {"127.0.0.1"};
    made_.MakeAll();
    made_.config.cluster.api_server.cert_sans = {};
    server_.emplace(http::FakeTls{.certificate_pem = made_.Text("apiserver.crt"),
                                  .key_pem = made_.Text("apiserver.key"),
                                  .client_ca_pem = {}});
    server_->SetText("/livez", 200, "ok");
    client_ = std::make_shared<kube::Client>(
        kube::MakeHttpTransport(server_->Config(made_.Text("ca.crt")), {}), made_.fake.clock,
        kube::RetryPolicy{.limit = {}});
    server_->Put(resources::kConfigMap, ConfigMap("kube-public", "cluster-info", "kubeconfig"));
    server_->Put(resources::kConfigMap, ConfigMap("kube-system", "kube-proxy", "kubeconfig.conf"));
    server_->Put(resources::kDaemonSet,
                 {{"metadata", {{"name", "kube-proxy"}, {"namespace", "kube-system"}}}});
    server_->Put(resources::kNode, {{"metadata", {{"name", "cp-one"}}}});
    made_.fake.files.Write(kAdmin, Conf("https://old:6443"), {});
    made_.fake.processes.AddExecutable("systemctl");
    const std::string url = server_->Url();
    made_.fake.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml",
                           R"({"spec":{"containers":[{"name":"kube-apiserver","command":[)"
                           R"("kube-apiserver","--secure-port=)" +
                               url.substr(url.rfind(':') + 1) + "\"]}]}}",
                           {});
  }

  EndpointFacts See() {
    EndpointFacts seen{.control_plane = true,
                       .config = made_.config,
                       .files = {{kAdmin, "https://old:6443"}},
                       .mark = {},
                       .now = certs::FakeContext::kStart,
                       .names = made_.Certificate("apiserver.crt").alt_names(),
                       .unprepared = {},
                       .cluster_info_server = "https://old:6443",
                       .proxy_server = "https://old:6443"};
    seen.names.dns_names.emplace_back("api.example.org");
    seen.config.init.local_api_endpoint.advertise_address = "127.0.0.1";
    return seen;
  }

  EndpointDeps With() {
    return {.host = made_.fake.host,
            .client = client_,
            .connect_runtime = {},
            .start = certs::FakeContext::kStart,
            .limit = std::chrono::milliseconds(200),
            .wait_for_endpoint = false};
  }

  void Run(const engine::Operation& operation) {
    engine::Run(operation, {}, {made_.fake.host, reporter_});
  }

  std::string Stored(const char* name_space, const char* name) {
    return server_->Find(resources::kConfigMap, name_space, name).value_or(json::Value()).dump();
  }

  certs::FakeContext made_;
  std::optional<kube::FakeApiServer> server_;
  std::shared_ptr<kube::Client> client_;
  std::vector<std::string> said_;
  workflow::Reporter reporter_{made_.fake.clock, {[this](const workflow::Event& event) {
                                 const auto* message =
                                     std::get_if<workflow::event::Message>(&event.what);
                                 if (message != nullptr) {
                                   said_.push_back(message->text);
                                 }
                               }}};
};

TEST_F(OperationTest, PointsClusterAndNodeToTheEndpoint) {
  const EndpointFacts seen = See();
  const SetPlan plan = MakePlan(seen, net::HostPort::Parse(kNew).value());
  Run(PlanSet(plan, seen, With()));
  EXPECT_THAT(Stored("kube-system", "kubeadm-config"), HasSubstr(kNew));
  EXPECT_THAT(Stored("kube-system", "kube-proxy"), HasSubstr(UrlOf(kNew)));
  EXPECT_THAT(Stored("kube-public", "cluster-info"), HasSubstr(UrlOf(kNew)));
  EXPECT_THAT(Stored("kube-public", "cluster-info"), Not(HasSubstr("signature")));
  const json::Value set = server_->Find(resources::kDaemonSet, "kube-system", "kube-proxy").value();
  EXPECT_EQ(json::TextAt(set, {"spec", "template", "metadata", "annotations",
                               "kubectl.kubernetes.io/restartedAt"}),
            "2026-01-01T00:00:00Z");
  EXPECT_EQ(FindRecord(*client_), plan.record);
  EXPECT_EQ(MarkOf(*client_, "cp-one"), kNew);
  EXPECT_THAT(made_.fake.files.Read(kAdmin), HasSubstr(UrlOf(kNew)));
  EXPECT_THAT(said_, Contains(HasSubstr("kube-proxy names")));
}

TEST_F(OperationTest, WaitsForTheCertificateOnDisk) {
  EndpointFacts seen = See();
  seen.names = made_.Certificate("apiserver.crt").alt_names();
  const SetPlan plan = MakePlan(seen, net::HostPort::Parse(kNew).value());
  ASSERT_TRUE(plan.names);
  EXPECT_THAT(base::MessageOf([&] { Run(PlanSet(plan, seen, With())); }),
              HasSubstr("the API server does not serve its new certificate"));
  EXPECT_THAT(made_.Certificate("apiserver.crt").alt_names().dns_names,
              Contains("api.example.org"));
  EXPECT_EQ(Stored("kube-system", "kubeadm-config"), "null") << "nobody is led to it before";
}

TEST_F(OperationTest, NeedsTheKeyOfTheCa) {
  RequireKeys(See(), With());
  made_.Remove("ca.key");
  EXPECT_THAT(base::MessageOf([&] { RequireKeys(See(), With()); }),
              HasSubstr("the key of its CA is not here"));
}

TEST_F(OperationTest, AWorkersKubeletIsRestarted) {
  const char* conf = "/etc/kubernetes/kubelet.conf";
  made_.fake.files.Write(conf, Conf("https://old:6443"), {});
  EndpointFacts seen = See();
  seen.control_plane = false;
  seen.files = {{conf, "https://old:6443"}};
  const SetPlan plan = MakePlan(seen, net::HostPort::Parse(kNew).value());
  Run(PlanSet(plan, seen, With()));
  EXPECT_THAT(made_.fake.files.Read(conf), HasSubstr(UrlOf(kNew)));
  EXPECT_THAT(made_.fake.processes.changes(), Contains("systemctl restart kubelet"));
  EXPECT_EQ(MarkOf(*client_, "cp-one"), kNew);
}

TEST_F(OperationTest, FinishRemovesNamesFromTheCluster) {
  EndpointFacts seen = See();
  seen.config.cluster.control_plane_endpoint = kNew;
  seen.config.cluster.api_server.cert_sans = {"old"};
  const ChangeRecord record{
      .endpoint = kNew, .previous = "old:6443", .names = {"old"}, .switched = seen.now};
  Run(PlanFinish(MakeFinishPlan(seen, record, {}), seen, record, {}, With()));
  EXPECT_THAT(Stored("kube-system", "kubeadm-config"), Not(HasSubstr("- old")));
}

// The interrupted run has restarted the kubelet, but has not annotated the Node. The next run must
// annotate the Node without another restart.
TEST_F(OperationTest, ResumesWithoutRestartingTheKubeletAgain) {
  const char* conf = "/etc/kubernetes/kubelet.conf";
  made_.fake.files.Write(conf, Conf("https://old:6443"), {});
  EndpointFacts seen = See();
  seen.control_plane = false;
  seen.files = {{conf, "https://old:6443"}};
  engine::Operation operation =
      PlanSet(MakePlan(seen, net::HostPort::Parse(kNew).value()), seen, With());
  ASSERT_EQ(operation.steps.back().id, "mark");
  operation.steps.back().apply = [](engine::StepContext&) { throw base::Error("no API server"); };
  EXPECT_THAT(base::MessageOf([&] { Run(operation); }), HasSubstr("no API server"));
  const auto restarts = made_.fake.processes.changes().size();

  seen.files = {{conf, UrlOf(kNew)}};
  operation = PlanSet(MakePlan(seen, net::HostPort::Parse(kNew).value()), seen, With());
  const auto journal = FindInterrupted(operation, made_.fake.files);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->files.size(), 1U) << "the backup of the first run counts";
  engine::Run(operation, journal, {made_.fake.host, reporter_});
  EXPECT_EQ(made_.fake.processes.changes().size(), restarts);
  EXPECT_EQ(MarkOf(*client_, "cp-one"), kNew);
  EXPECT_FALSE(FindInterrupted(operation, made_.fake.files));
}

TEST_F(OperationTest, RestartsAgainAfterAFileWasRestored) {
  engine::SaveJournal(made_.fake.files, {.operation = "endpoint-set",
                                         .intent = {{"endpoint", kNew}},
                                         .steps = {{"files", engine::StepState::kDone},
                                                   {"kubelet", engine::StepState::kDone}}});
  EndpointFacts seen = See();
  seen.control_plane = false;
  seen.files = {{"/etc/kubernetes/kubelet.conf", UrlOf(kNew)}};
  const auto planned = [&] {
    return PlanSet(MakePlan(seen, net::HostPort::Parse(kNew).value()), seen, With());
  };
  EXPECT_TRUE(FindInterrupted(planned(), made_.fake.files)->HasDone("kubelet"));
  seen.files = {{"/etc/kubernetes/kubelet.conf", "https://old:6443"}};
  EXPECT_FALSE(FindInterrupted(planned(), made_.fake.files)->HasDone("kubelet"));
}

TEST_F(OperationTest, DoesNotResumeAnotherEndpoint) {
  engine::SaveJournal(made_.fake.files,
                      {.operation = "endpoint-set", .intent = {{"endpoint", "other:6443"}}});
  EndpointFacts seen = See();
  engine::Operation operation =
      PlanSet(MakePlan(seen, net::HostPort::Parse(kNew).value()), seen, With());
  EXPECT_FALSE(FindInterrupted(operation, made_.fake.files));
  operation.steps.clear();
  EXPECT_TRUE(FindInterrupted(operation, made_.fake.files)) << "it is removed";
}

}  // namespace
}  // namespace endpoint
