// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/bootstrap_rules.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_cluster.h"

namespace join_secrets {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

using Rules = kube::FakeCluster;

TEST_F(Rules, AllowNodesToBootstrap) {
  for (const BootstrapRule rule : BootstrapRules(releases::Newest(), JoinTokens::kAll)) {
    ApplyBootstrapRule(client_, rule);
  }
  EXPECT_THAT(Writes(), ElementsAre("POST clusterroles", "POST clusterrolebindings",
                                    "POST clusterrolebindings", "POST clusterrolebindings",
                                    "POST clusterrolebindings", "POST clusterrolebindings"));
  EXPECT_EQ(Stored(kube::resources::kClusterRoleBinding,
                   "kubeadm:node-autoapprove-certificate-rotation")["subjects"][0]["name"],
            "system:nodes");
}

TEST_F(Rules, AreRenewedTogetherWithPublicAccessToClusterInfo) {
  RenewBootstrapRules(client_, releases::For("v1.37.2"), JoinTokens::kAll);
  EXPECT_EQ(Stored(kube::resources::kClusterRole, "kubeadm:get-nodes")["kind"], "ClusterRole");
  EXPECT_EQ(
      Stored(kube::resources::kRole, "kubeadm:bootstrap-signer-clusterinfo", "kube-public")["kind"],
      "Role");
}

TEST(RenewBootstrapRules, TriesEveryRuleAndReportsEachFailure) {
  class Refusing : public kube::Transport {
   public:
    int calls = 0;
    json::Value Do(const kube::Call&, std::stop_token) override {
      throw base::Error(base::Error::Kind::kForbidden, fmt::format("no {}", ++calls));
    }
    std::string GetPath(const std::string&, std::stop_token) override { return {}; }
    void Watch(const kube::Call&, const std::string&, const OnEvent&, std::stop_token) override {}
  };
  const auto transport = std::make_shared<Refusing>();
  host::FakeClock clock;
  kube::Client client(transport, clock, {.limit = 0ms, .grace = 0ms});
  const base::Error error = base::Thrown(
      [&] { RenewBootstrapRules(client, releases::For("v1.37.2"), JoinTokens::kAll); });
  EXPECT_THAT(error.message(), testing::HasSubstr("no 1; "));
  EXPECT_GE(transport->calls, 6);
}

TEST_F(Rules, OmitRulesThatTheGroupOfTheCertificateGrants) {
  for (const BootstrapRule rule : BootstrapRules(releases::For("v1.35.4"), JoinTokens::kAll)) {
    ApplyBootstrapRule(client_, rule);
  }
  EXPECT_EQ(Stored(kube::resources::kClusterRoleBinding, "kubeadm:apiserver-kubelet-client"),
            nullptr);
}

std::string NameOfBound(const char* rule) {
  return std::string("kubeadm:node-bound-tokens:") + rule;
}

TEST_F(Rules, OmitTheBlanketRuleForBoundTokens) {
  RenewBootstrapRules(client_, releases::For("v1.37.2"), JoinTokens::kAll);
  ASSERT_NE(Stored(kube::resources::kClusterRoleBinding, "kubeadm:node-autoapprove-bootstrap"),
            nullptr);
  RenewBootstrapRules(client_, releases::For("v1.37.2"), JoinTokens::kBoundOnly);
  EXPECT_EQ(Stored(kube::resources::kClusterRoleBinding, "kubeadm:node-autoapprove-bootstrap"),
            nullptr);
  for (const char* rule : {"get-nodes", "kubelet-bootstrap"}) {
    EXPECT_EQ(
        Stored(kube::resources::kClusterRoleBinding, NameOfBound(rule))["subjects"][0]["name"],
        "system:bootstrappers:kubeadm:node-bound-token");
  }
  for (const char* rule : {"kubeadm-config", "kubelet-config", "kube-proxy", "kubeadm-certs"}) {
    EXPECT_NE(Stored(kube::resources::kRoleBinding, NameOfBound(rule), "kube-system"), nullptr);
  }
  EXPECT_NE(
      Stored(kube::resources::kClusterRoleBinding, "kubeadm:node-autoapprove-certificate-rotation"),
      nullptr)
      << "nodes still renew their own certificates";
}

TEST_F(Rules, AllowBoundTokensOnlyOrAllTokens) {
  EXPECT_EQ(FetchJoinTokens(client_), JoinTokens::kAll);
  ApplyJoinTokens(client_, JoinTokens::kBoundOnly);
  EXPECT_EQ(FetchJoinTokens(client_), JoinTokens::kBoundOnly);
  ApplyJoinTokens(client_, JoinTokens::kBoundOnly);  // idempotent
  EXPECT_EQ(Stored(kube::resources::kClusterRoleBinding, "kubeadm:node-autoapprove-bootstrap"),
            nullptr);
  ApplyJoinTokens(client_, JoinTokens::kAll);
  EXPECT_EQ(FetchJoinTokens(client_), JoinTokens::kAll);
  EXPECT_NE(Stored(kube::resources::kClusterRoleBinding, "kubeadm:node-autoapprove-bootstrap"),
            nullptr);
}

}  // namespace
}  // namespace join_secrets
