// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "certs/fake_context.h"
#include "doctor/fake_sources.h"
#include "http/fake_server.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"
#include "static_pods/static_pod.h"

namespace doctor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CollectApi, LogsInWithTheExecPluginOfAKubeconfig) {
  for (const bool works : {true, false}) {
    FakeSources node;
    node.fake.environment.terminal =
        true;  // the plugin must not be interactive, because the time is too short
    node.fake.processes.On(
        "/etc/kubernetes/login",
        {.exit_code = works ? 0 : 3,
         .out = R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
                    "status": {"token": "good"}})"});
    node.Write("/etc/kubernetes/admin.conf", R"(
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
users:
- name: u
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: IfAvailable}}
)");
    const Facts facts = After(CollectApi(node.From(), {}));
    ASSERT_EQ(facts.endpoints.size(), 1U);
    EXPECT_THAT(facts.endpoints[0].problem.value_or(""),
                HasSubstr(works ? "cannot connect" : "cannot log in: \"/etc/kubernetes/login\""));
    EXPECT_THAT(node.fake.processes.calls(), ElementsAre("/etc/kubernetes/login"));
  }
}

// Records the received credentials, and answers like an API server.
class OtherApiServer {
 public:
  explicit OtherApiServer(const http::FakeTls& tls)
      : server_(
            [this](const http::FakeRequest& request) -> http::FakeReply {
              const std::lock_guard lock(mutex_);
              const auto shown = request.headers.find("authorization");
              shown_.push_back(shown == request.headers.end() ? "" : shown->second);
              return {.status = 401, .body = "{}"};
            },
            tls) {}
  std::string Endpoint() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  std::vector<std::string> Shown() {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> shown_;
  http::FakeServer server_;  // last member: its threads use the others
};

// A cluster whose administrator logs in with a token, and the address in a Pod's annotation.
class NamedAddress : public testing::Test {
 protected:
  NamedAddress() {
    made_.config.cluster.api_server.cert_sans = {"127.0.0.1"};
    made_.MakeAll();
    const http::FakeTls tls{.certificate_pem = made_.Text("apiserver.crt"),
                            .key_pem = made_.Text("apiserver.key"),
                            .client_ca_pem = {}};
    server_.emplace(tls);
    other_.emplace(tls);
    server_->SetText("/readyz", 200, "ok");
    kube::Kubeconfig admin = server_->Config(made_.Text("ca.crt"));
    admin.users.at(admin.CurrentContext()->user).token = "secret";
    node_.Write("/etc/kubernetes/admin.conf", admin.Text());
    server_->Put(kube::resources::kNode, objects::FakeControlPlaneNode("cp"));
    server_->Put(kube::resources::kNode, objects::FakeNode("worker"));
  }
  void Name(json::Value pod) {
    server_->Put(kube::resources::kPod,
                 objects::WithAnnotation(std::move(pod), static_pods::kApiServerEndpointAnnotation,
                                         other_->Endpoint()));
  }
  Facts Ask() {
    DoctorSources sources = node_.From();
    sources.config_facts.hostname = "cp";
    return After(CollectApi(sources, {}));
  }

  certs::FakeContext made_;
  FakeSources node_;
  std::optional<kube::FakeApiServer> server_;
  std::optional<OtherApiServer> other_;
};

TEST_F(NamedAddress, APodsAddressGetsNoCredentials) {
  Name(objects::FakeMirrorPod(components::Component::kApiServer, "cp"));
  const Facts facts = Ask();
  EXPECT_THAT(other_->Shown(), ElementsAre(""));
  ASSERT_EQ(facts.endpoints.size(), 2U);
  EXPECT_TRUE(facts.endpoints[1].of_other_node);
  EXPECT_EQ(facts.endpoints[1].problem, std::nullopt);
  EXPECT_TRUE(facts.endpoints[1].logged_in) << "no user of ours was refused there";
}

TEST_F(NamedAddress, APodOfAnotherUserIsNotQueried) {
  Name(objects::FakeMirrorPod(components::Component::kApiServer, "worker"));
  json::Value pod = objects::FakeMirrorPod(components::Component::kApiServer, "cp");
  pod["metadata"].erase("ownerReferences");
  Name(pod);
  EXPECT_EQ(Ask().endpoints.size(), 1U);
  EXPECT_THAT(other_->Shown(), IsEmpty());
}

// Only the cluster's configuration contains the address of the other server. The server must
// receive a request without credentials.
TEST_F(NamedAddress, TheConfigurationsAddressGetsNoCredentials) {
  server_->Put(kube::resources::kConfigMap,
               {{"metadata", {{"name", "kubeadm-config"}, {"namespace", "kube-system"}}},
                {"data",
                 {{"ClusterConfiguration",
                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                   "kubernetesVersion: v1.36.3\ncontrolPlaneEndpoint: " +
                       other_->Endpoint() + "\n"}}}});
  server_->Put(
      kube::resources::kConfigMap,
      {{"metadata", {{"name", "kubelet-config"}, {"namespace", "kube-system"}}},
       {"data",
        {{"kubelet", "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"}}}});
  node_.Write("/etc/kubernetes/manifests/kube-apiserver.yaml",
              "spec:\n  containers:\n  - command: [kube-apiserver, "
              "--advertise-address=127.0.0.1, --secure-port=" +
                  server_->Url().substr(server_->Url().rfind(':') + 1) + "]\n");
  const Facts facts = Ask();
  EXPECT_THAT(other_->Shown(), ElementsAre(""))
      << fmt::format("{}", fmt::join(facts.cluster.broken_maps, "\n"));
}

}  // namespace
}  // namespace doctor
