// SPDX-License-Identifier: Apache-2.0
#include "withdrawal/enforcement.h"

#include <gmock/gmock.h>

#include "kube/fake_cluster.h"
#include "node_identities/withdrawn_policy.h"

namespace withdrawal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNodes = "POST /api/v1/nodes";

json::Value Slice(std::initializer_list<const char*> addresses) {
  json::Value slice = {
      {"kind", "EndpointSlice"},
      {"metadata", {{"name", "kubernetes"}, {"namespace", "default"}}},
      {"endpoints", json::Value::array()},
      {"ports", json::Value::array({{{"name", "https"}, {"port", 6443}, {"protocol", "TCP"}}})}};
  for (const char* address : addresses) {
    slice["endpoints"].push_back({{"addresses", json::Value::array({address})}});
  }
  return slice;
}

TEST(UrlsIn, ListsEachApiServer) {
  EXPECT_THAT(UrlsIn(Slice({"10.0.0.1", "fd00::2"}), {}),
              ElementsAre("https://10.0.0.1:6443", "https://[fd00::2]:6443"));
}

TEST(UrlsIn, LeavesOutTheServersOfTheNode) {
  EXPECT_THAT(UrlsIn(Slice({"10.0.0.1", "10.0.0.2"}), {"10.0.0.2", "10.9.9.9"}),
              ElementsAre("https://10.0.0.1:6443"));
  EXPECT_THAT(UrlsIn(json::Value::object(), {}), IsEmpty());
}

class RefusalProbeTest : public kube::FakeCluster {
 protected:
  // Calls the probe once. Returns why the withdrawal is not enforced yet; "" if it is.
  std::string Ask() {
    const kube::Probe probe = RefusalProbe(std::make_shared<kube::Client>(client_),
                                           [this](const std::string& server) {
                                             asked_.push_back(server);
                                             return std::make_shared<kube::Client>(client_);
                                           },
                                           "worker-1", {"10.0.0.9"});
    const auto not_yet = probe({});
    return not_yet ? not_yet->why : "";
  }
  void PutServers(std::initializer_list<const char*> addresses) {
    server_.Put(kube::resources::kEndpointSlice, Slice(addresses));
  }
  void Refuse(int times) {
    server_.Inject({.what = kNodes,
                    .status = 422,
                    .reason = "Invalid",
                    .message = "nodes \"worker-1\" is forbidden: ValidatingAdmissionPolicy '" +
                               std::string(node_identities::kPolicyName) + "' denied request: " +
                               std::string(node_identities::kWithdrawnMessage),
                    .times = times});
  }

  std::vector<std::string> asked_;
};

TEST_F(RefusalProbeTest, SucceedsWhenEachServerRefuses) {
  PutServers({"10.0.0.1", "10.0.0.2", "10.0.0.9"});
  Refuse(1);
  EXPECT_THAT(Ask(), HasSubstr("https://10.0.0.2:6443: it would still accept the node"));
  Refuse(-1);
  asked_.clear();
  EXPECT_EQ(Ask(), "");
  EXPECT_THAT(asked_, ElementsAre("https://10.0.0.1:6443", "https://10.0.0.2:6443"));
}

TEST_F(RefusalProbeTest, StoresNothing) {
  PutServers({"10.0.0.1"});
  EXPECT_THAT(Ask(), HasSubstr("it would still accept the node"));
  EXPECT_TRUE(Stored(kube::resources::kNode, "worker-1").is_null());
  EXPECT_THAT(server_.Requests().back(), HasSubstr("/api/v1/nodes?dryRun=All"));
}

TEST_F(RefusalProbeTest, WaitsWhileTheNodeExists) {
  PutServers({"10.0.0.1"});
  server_.Put(kube::resources::kNode, {{"kind", "Node"}, {"metadata", {{"name", "worker-1"}}}});
  EXPECT_THAT(Ask(), HasSubstr("it would still accept the node"));
}

TEST_F(RefusalProbeTest, WaitsForAServerThatDoesNotAnswer) {
  PutServers({"10.0.0.1"});
  server_.Inject({.what = kNodes, .status = 503, .reason = "ServiceUnavailable", .message = "no"});
  EXPECT_THAT(Ask(), HasSubstr("https://10.0.0.1:6443"));
}

TEST_F(RefusalProbeTest, NeedsAnApiServer) {
  PutServers({"10.0.0.9"});
  EXPECT_THAT(Ask(), HasSubstr("has no API server"));
}

TEST(ActingAs, ImpersonatesTheNode) {
  kube::Kubeconfig config;
  config.contexts["c"] = {.cluster = "c", .user = "u"};
  config.users["u"].token = "secret";
  config.users["other"].token = "other";
  config.current_context = "c";
  config.clusters["c"].server = "https://10.0.0.9:6443";
  const kube::Kubeconfig acting = ActingAs("worker-1", config);
  EXPECT_EQ(acting.CurrentUser()->token, "secret");
  EXPECT_EQ(acting.CurrentUser()->rest["as"], "system:node:worker-1");
  EXPECT_EQ(acting.CurrentUser()->rest["as-groups"], json::Value::array({"system:nodes"}));
  EXPECT_EQ(acting.CurrentCluster()->tls_server_name, "kubernetes");
  EXPECT_TRUE(acting.users.at("other").rest.is_null());
  EXPECT_EQ(ActingAs("worker-1", {}).CurrentUser(), nullptr);
}

}  // namespace
}  // namespace withdrawal
