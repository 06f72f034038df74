// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/cluster_trust.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "base/strings.h"
#include "ca_rotation/fake_authority.h"
#include "ca_rotation/node_marks.h"
#include "ca_rotation/record.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"

namespace ca_rotation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace resources = kube::resources;

class ClusterTrustTest : public testing::Test {
 protected:
  ClusterTrustTest() { made_.MakeAll(); }

  // Return two different authorities.
  Anchor First() { return ParseAnchors(made_.Text("ca.crt")).front(); }
  Anchor Second() { return ParseAnchors(made_.Text("front-proxy-ca.crt")).front(); }

  void PutNode(const std::string& name, const std::string& mark, const json::Value& labels) {
    json::Value node = {
        {"metadata", {{"name", name}, {"labels", labels}, {"annotations", json::Value::object()}}}};
    if (!mark.empty()) {
      node["metadata"]["annotations"][MarkAnnotation(Named("kubernetes"))] = mark;
    }
    server_.Put(resources::kNode, node);
  }
  void PutConfigMap(const std::string& name_space, const std::string& name,
                    const json::Value& data) {
    server_.Put(resources::kConfigMap,
                {{"metadata", {{"name", name}, {"namespace", name_space}}}, {"data", data}});
  }
  std::string Data(const std::string& name_space, const std::string& name, const std::string& key) {
    return json::TextAt(server_.Find(resources::kConfigMap, name_space, name).value(),
                        {"data", key});
  }

  certs::FakeContext made_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(),
                       made_.fake.clock,
                       {.limit = std::chrono::milliseconds(200), .grace = {}}};
};

TEST_F(ClusterTrustTest, AcceptsOneRotationAtATime) {
  const Authority& authority = Named("kubernetes");
  EXPECT_EQ(FindRecord(client_, authority), std::nullopt);
  Claim(client_, authority, First(), {});
  Claim(client_, authority, First(), {});
  const auto record = FindRecord(client_, authority);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->pin, First().pin);
  EXPECT_EQ(record->step, Step::kTrust);
  EXPECT_EQ(FindRecord(client_, Named("etcd")), std::nullopt);
  EXPECT_THAT(base::MessageOf([&] { Claim(client_, authority, Second(), {}); }),
              HasSubstr("another node has begun"));
  // After a complete rotation, the next one may begin.
  Claim(client_, authority, Second(), record);
  EXPECT_EQ(FindRecord(client_, authority)->pin, Second().pin);
}

TEST_F(ClusterTrustTest, WorkersMayNotReadTheRecordBeforeTheFirstRotation) {
  server_.Inject({.what = "GET /api/v1/namespaces/kube-system/configmaps/kubeadm-rotate-ca",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "no",
                  .times = -1});
  EXPECT_EQ(FindRecord(client_, Named("kubernetes")), std::nullopt);
}

TEST_F(ClusterTrustTest, StepsOnlyAdvance) {
  const Authority& authority = Named("etcd");
  Claim(client_, authority, First(), {});
  SetStep(client_, authority, Step::kReissue);
  SetStep(client_, authority, Step::kTrust);
  EXPECT_EQ(FindRecord(client_, authority)->step, Step::kReissue);
}

TEST_F(ClusterTrustTest, NodesReportTheirProgress) {
  const json::Value control_plane = {{"node-role.kubernetes.io/control-plane", ""}};
  PutNode("cp", "reissue sha256:new 2026-01-01T00:00:00Z", control_plane);
  PutNode("w1", "drop sha256:other 2026-01-01T00:00:00Z", json::Value::object());
  PutNode("w2", "", json::Value::object());
  const auto states = StatesOf(client_, Named("kubernetes"), "sha256:new");
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(states[0].done, Step::kReissue);
  EXPECT_TRUE(states[0].control_plane);
  EXPECT_EQ(states[1].done, std::nullopt);
  EXPECT_EQ(states[2].done, std::nullopt);
  EXPECT_EQ(StatesOf(client_, Named("etcd"), "sha256:new").size(), 1U);
  SetMark(client_, "w2", Named("kubernetes"),
          {.step = Step::kTrust, .pin = "sha256:new", .at = {}});
  EXPECT_EQ(StateOf(client_, "w2", Named("kubernetes"), "sha256:new").done, Step::kTrust);
}

TEST_F(ClusterTrustTest, ClusterInfoGetsTheCertificatesAndLosesItsSignatures) {
  PublishCa(client_, {First()});
  EXPECT_EQ(server_.Find(resources::kConfigMap, "kube-public", "cluster-info"), std::nullopt);
  kube::Kubeconfig info;
  info.clusters[""] = {.server = "https://a:6443", .certificate_authority_data = First().pem};
  PutConfigMap("kube-public", "cluster-info",
               {{"kubeconfig", info.Text()}, {"jws-kubeconfig-abcdef", "x..y"}});
  PublishCa(client_, {First()});
  EXPECT_EQ(Data("kube-public", "cluster-info", "jws-kubeconfig-abcdef"), "x..y");
  PublishCa(client_, {First(), Second()});
  info = kube::Kubeconfig::Parse(Data("kube-public", "cluster-info", "kubeconfig"));
  EXPECT_EQ(info.clusters[""].certificate_authority_data, First().pem + Second().pem);
  EXPECT_EQ(info.clusters[""].server, "https://a:6443");
  EXPECT_EQ(Data("kube-public", "cluster-info", "jws-kubeconfig-abcdef"), "");
}

TEST_F(ClusterTrustTest, WaitsForTheCertificateInEveryNamespace) {
  PutConfigMap("a", "kube-root-ca.crt", {{"ca.crt", First().pem + Second().pem}});
  const kube::Probe probe = PodsTrustProbe(client_, Second().pin);
  EXPECT_EQ(probe({}), std::nullopt);
  PutConfigMap("b", "kube-root-ca.crt", {{"ca.crt", First().pem}});
  EXPECT_THAT(probe({}).value().why, HasSubstr("namespace b lacks"));
}

TEST_F(ClusterTrustTest, AddonsAreRestartedByTheirTemplates) {
  const json::Value status = {{"observedGeneration", 2},
                              {"desiredNumberScheduled", 2},
                              {"updatedNumberScheduled", 1},
                              {"numberAvailable", 2}};
  json::Value proxy = {
      {"metadata", {{"name", "kube-proxy"}, {"namespace", "kube-system"}, {"generation", 2}}},
      {"spec", {{"template", {{"metadata", json::Value::object()}}}}},
      {"status", status}};
  server_.Put(resources::kDaemonSet, proxy);
  RestartAddons(client_, "sha256:new");
  const json::Value now = server_.Find(resources::kDaemonSet, "kube-system", "kube-proxy").value();
  EXPECT_EQ(json::TextAt(now, {"spec", "template", "metadata", "annotations",
                               "rotate-ca.kubeadm.slipway/trusts"}),
            "sha256:new");
  EXPECT_THAT(AddonsProbe(client_, "sha256:new")({}).value().why,
              HasSubstr("kube-proxy: 1 of 2 Pods are new"));
  proxy["status"]["updatedNumberScheduled"] = 2;
  server_.Put(resources::kDaemonSet, proxy);
  EXPECT_EQ(AddonsProbe(client_, "sha256:new")({}), std::nullopt);
  proxy["metadata"]["generation"] = 3;
  server_.Put(resources::kDaemonSet, proxy);
  EXPECT_THAT(AddonsProbe(client_, "sha256:new")({}).value().why,
              HasSubstr("has not seen the change"));
}

// Creates old kube-proxy Pods on node "one" and on the excluded node "evil". The probe must delete
// only the Pod of "one", and succeed once that Pod is new and ready.
TEST_F(ClusterTrustTest, ReplacesProxiesDespiteANodeThatIsLeftBehind) {
  const auto pod = [](const std::string& node, const char* pin) -> json::Value {
    return {{"metadata",
             {{"name", "kube-proxy-" + node},
              {"namespace", "kube-system"},
              {"labels", {{"k8s-app", "kube-proxy"}}},
              {"annotations", {{"rotate-ca.kubeadm.slipway/trusts", pin}}},
              {"ownerReferences",
               json::Value::array({{{"kind", "DaemonSet"}, {"name", "kube-proxy"}}})}}},
            {"spec", {{"nodeName", node}}},
            {"status",
             {{"conditions", json::Value::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
  };
  server_.Put(resources::kDaemonSet,
              {{"metadata", {{"name", "kube-proxy"}, {"namespace", "kube-system"}}},
               {"status", {{"desiredNumberScheduled", 2}, {"numberAvailable", 1}}}});
  server_.Put(resources::kPod, pod("one", "sha256:old"));
  server_.Put(resources::kPod, pod("evil", "sha256:old"));
  json::Value strangers = pod("evil-too", "sha256:old");
  strangers["metadata"]["ownerReferences"][0]["kind"] = "Node";
  server_.Put(resources::kPod, strangers);
  const kube::Probe probe = AddonsProbe(client_, "sha256:new", {"evil"});
  EXPECT_THAT(probe({}).value().why, HasSubstr("Pod kube-proxy-one on node one is being replaced"));
  EXPECT_FALSE(server_.Find(resources::kPod, "kube-system", "kube-proxy-one"));
  EXPECT_TRUE(server_.Find(resources::kPod, "kube-system", "kube-proxy-evil"));
  EXPECT_THAT(probe({}).value().why, HasSubstr("0 of 1 Pods are new"));
  json::Value fresh = pod("one", "sha256:new");
  fresh["status"]["conditions"][0]["status"] = "False";
  server_.Put(resources::kPod, fresh);
  EXPECT_THAT(probe({}).value().why, HasSubstr("kube-proxy-one on node one is not ready"));
  server_.Put(resources::kPod, pod("one", "sha256:new"));
  EXPECT_EQ(probe({}), std::nullopt);
}

TEST_F(ClusterTrustTest, RemovesTheOldCaOfExtensionServers) {
  PutConfigMap("kube-system", "extension-apiserver-authentication",
               {{"client-ca-file", First().pem + Second().pem},
                {"requestheader-client-ca-file", First().pem}});
  ForgetOldCa(client_, Named("kubernetes"), First().pin);
  EXPECT_EQ(Data("kube-system", "extension-apiserver-authentication", "client-ca-file"),
            Second().pem);
  EXPECT_EQ(
      Data("kube-system", "extension-apiserver-authentication", "requestheader-client-ca-file"),
      First().pem);
}

TEST_F(ClusterTrustTest, RecognizesTokensInSecretsByTheirKey) {
  const std::string pin = ParseAnchors(made_.Text("sa.pub")).front().pin;
  const auto put = [&](const std::string& name, const std::string& key_id) {
    const std::string header = R"({"alg":"RS256","kid":")" + key_id + R"("})";
    const std::string token = base::Base64UrlEncode(header) + ".e30.x";
    server_.Put(resources::kSecret, {{"metadata", {{"name", name}, {"namespace", "apps"}}},
                                     {"type", "kubernetes.io/service-account-token"},
                                     {"data", {{"token", base::Base64Encode(token)}}}});
  };
  put("old", KeyIdOf(pin));
  put("fresh", KeyIdOf(First().pin));
  EXPECT_THAT(OldTokenSecrets(client_, pin), ElementsAre("apps/old"));
  EXPECT_EQ(TokenKeyId("no token"), "");
}

}  // namespace
}  // namespace ca_rotation
