// SPDX-License-Identifier: Apache-2.0
#include "endpoint/gather.h"

#include <gmock/gmock.h>

#include <mutex>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "http/fake_server.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"

namespace endpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace resources = kube::resources;

struct TargetCase {
  const char* name;
  const char* given;
  std::optional<ChangeRecord> record;
  const char* stored;
  bool control_plane;
  const char* want;  // the endpoint, or the error
};

TEST(Target, IsTheGivenEndpointOrThatOfTheCluster) {
  const ChangeRecord record{.endpoint = "next:6443", .previous = {}, .names = {}};
  const TargetCase cases[] = {
      {"given", "Api.Example.org:443", {}, "", true, "api.example.org:443"},
      {"without a port", "10.0.0.1", {}, "", true, "10.0.0.1:7443"},
      {"of IPv6", "[fd00::1]:6443", {}, "", true, "[fd00::1]:6443"},
      {"on the way", "", record, "old:6443", true, "next:6443"},
      {"stored", "", {}, "old:6443", true, "old:6443"},
      {"nothing to go by", "", {}, "", true, "give the new one"},
      {"no endpoint", "a b", {}, "", true, "a b"},
      {"a pattern", "*.example.org:6443", {}, "", true, "must be an IP address or a lower case"},
      {"no such port", "api.example.org:99999", {}, "", true, "port"},
      {"a worker's", "", {}, "old:6443", false, "old:6443"},
      {"a worker's, given", "old:6443", {}, "old:6443", false, "old:6443"},
      {"another on a worker", "new:6443", {}, "old:6443", false, "the cluster's endpoint is old"},
      {"a worker's, of none", "new:6443", {}, "", false, "the cluster has no endpoint"},
  };
  for (const TargetCase& c : cases) {
    EndpointFacts seen{.control_plane = c.control_plane,
                       .config = certs::FakeContext::DefaultConfig(),
                       .files = {},
                       .mark = {},
                       .names = {},
                       .record = c.record,
                       .unprepared = {},
                       .cluster_info_server = {},
                       .proxy_server = {}};
    seen.config.init.local_api_endpoint.bind_port = 7443;
    seen.config.cluster.control_plane_endpoint = c.stored;
    seen.config.cluster.etcd.local->data_dir = "/var/lib/etcd";
    std::string got;
    const std::string problem = base::MessageOf([&] { got = Target(c.given, seen).Text(); });
    EXPECT_THAT(problem.empty() ? got : problem, HasSubstr(c.want)) << c.name;
  }
}

// Two API servers of one cluster; this node's configuration files point to the first.
class CollectTest : public testing::Test {
 protected:
  CollectTest() {
    made_.config.cluster.api_server.cert_sans = {"127.0.0.1", "api.example.org"};
    made_.MakeAll();
    server_.emplace(http::FakeTls{.certificate_pem = made_.Text("apiserver.crt"),
                                  .key_pem = made_.Text("apiserver.key"),
                                  .client_ca_pem = {}});
    server_->SetText("/version", 200, "{}");
    kube::Kubeconfig admin = server_->Config(made_.Text("ca.crt"));
    made_.fake.files.Write("/etc/kubernetes/admin.conf", admin.Text(), {});
    client_.emplace(kube::MakeHttpTransport(admin, {}), made_.fake.clock,
                    kube::RetryPolicy{.limit = {}});
    seen_.config = made_.config;
    for (const char* node : {"cp-one", "cp-two"}) {
      server_->Put(resources::kNode, objects::FakeControlPlaneNode(node));
      server_->Put(resources::kPod,
                   ApiServerPod(node, server_->Url().substr(std::string_view("https://").size())));
    }
  }

  static json::Value ApiServerPod(const std::string& node, const std::string& endpoint) {
    return objects::WithAnnotation(
        objects::FakeMirrorPod(components::Component::kApiServer, node),
        "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint", endpoint);
  }

  CollectDeps With() { return {.host = made_.fake.host, .client = *client_}; }

  certs::FakeContext made_;
  std::optional<kube::FakeApiServer> server_;
  std::optional<kube::Client> client_;
  EndpointFacts seen_{.control_plane = true,
                      .config = {},
                      .files = {},
                      .mark = {},
                      .names = {},
                      .unprepared = {},
                      .cluster_info_server = {},
                      .proxy_server = {}};
};

TEST_F(CollectTest, QueriesOtherApiServersForTheName) {
  EXPECT_THAT(Unprepared(With(), seen_, "api.example.org"), IsEmpty());
  EXPECT_THAT(Unprepared(With(), seen_, "other.example.org"),
              ElementsAre(HasSubstr("cp-two, whose API server does not serve other.example.org")));
}

// A control plane that has just joined may have no Pod in the API yet. It must count as not
// prepared.
TEST_F(CollectTest, AControlPlaneWithoutAPodIsNotPrepared) {
  server_->Put(
      resources::kNode,
      {{"metadata",
        {{"name", "cp-three"}, {"labels", {{"node-role.kubernetes.io/control-plane", ""}}}}}});
  EXPECT_THAT(Unprepared(With(), seen_, "api.example.org"),
              ElementsAre(HasSubstr("cp-three, whose API server is not among the Pods yet")));
  EXPECT_THAT(Serving(With(), seen_, {"gone.example.org"}), ElementsAre("cp-three"));
}

// A worker's kubelet may create mirror Pods of any name and label on its own node. Such Pods must
// not count as API servers.
TEST_F(CollectTest, IgnoresAWorkersPod) {
  server_->Put(resources::kNode, objects::FakeNode("worker"));
  server_->Put(resources::kPod, ApiServerPod("worker", "127.0.0.1:1"));
  json::Value pod = ApiServerPod("worker", "127.0.0.1:1");
  pod["metadata"]["name"] = "kube-apiserver-cp-two";
  server_->Put(resources::kPod, pod);
  server_->Put(resources::kPod, ApiServerPod("no-node", ""));
  EXPECT_THAT(Unprepared(With(), seen_, "api.example.org"),
              ElementsAre(HasSubstr("cp-two, whose API server is not among the Pods yet")))
      << "its name is taken";
  server_->Put(resources::kPod,
               ApiServerPod("cp-two", server_->Url().substr(std::string_view("https://").size())));
  EXPECT_THAT(Unprepared(With(), seen_, "api.example.org"), IsEmpty());
  EXPECT_THAT(Serving(With(), seen_, {"gone.example.org"}), IsEmpty());
}

TEST_F(CollectTest, SendsNoCredentialsToNamedAddresses) {
  kube::Kubeconfig admin = server_->Config(made_.Text("ca.crt"));
  admin.users.at(admin.CurrentContext()->user).token = "secret";
  made_.fake.files.Write("/etc/kubernetes/admin.conf", admin.Text(), {});
  std::mutex mutex;
  std::vector<std::string> shown;
  http::FakeServer other(
      [&](const http::FakeRequest& request) -> http::FakeReply {
        const std::lock_guard lock(mutex);
        const auto header = request.headers.find("authorization");
        shown.push_back(header == request.headers.end() ? "" : header->second);
        return {.status = 401, .body = "{}"};
      },
      {.certificate_pem = made_.Text("apiserver.crt"),
       .key_pem = made_.Text("apiserver.key"),
       .client_ca_pem = {}});
  const std::string port = std::to_string(other.port());
  server_->Put(resources::kPod, ApiServerPod("cp-two", "127.0.0.1:" + port));
  EXPECT_THAT(Unprepared(With(), seen_, "api.example.org"), IsEmpty()) << "401 is an answer";
  EXPECT_EQ(Unreachable(With(), seen_, {.host = "127.0.0.1", .port = port}), std::nullopt);
  EXPECT_THAT(shown, ElementsAre("", ""));
}

TEST_F(CollectTest, OldNamesAreSeenUnlessTheyAreTheNodesOwn) {
  EXPECT_THAT(Serving(With(), seen_, {"api.example.org"}), ElementsAre("cp-two"));
  EXPECT_THAT(Serving(With(), seen_, {"gone.example.org", "127.0.0.1", "cp-two"}), IsEmpty());
}

TEST_F(CollectTest, ReportsWhyAnEndpointDoesNotReachThisCluster) {
  const net::HostPort here =
      net::HostPort::Parse(server_->Url().substr(std::string_view("https://").size())).value();
  EXPECT_EQ(Unreachable(With(), seen_, here), std::nullopt);
  EXPECT_TRUE(Unreachable(With(), seen_, {.host = "127.0.0.1", .port = "1"}));
  certs::FakeContext other;
  other.MakeCas();
  kube::Kubeconfig foreign = server_->Config(other.Text("ca.crt"));
  made_.fake.files.Write("/etc/kubernetes/admin.conf", foreign.Text(), {});
  EXPECT_TRUE(Unreachable(With(), seen_, here)) << "another cluster's";
}

}  // namespace
}  // namespace endpoint
