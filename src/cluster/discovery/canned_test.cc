// SPDX-License-Identifier: Apache-2.0
#include "discovery/canned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "discovery/fake_cluster.h"

namespace discovery {
namespace {

using kube::resources::kConfigMap;
using kube::resources::kSecret;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Answer Refused(const Question& /*question*/) {
  throw base::Error(base::Error::Kind::kUnavailable, "connection refused");
}

class DryRun : public testing::Test {
 protected:
  Ask AskOver(Ask real) {
    return DryRunAsk([this](const std::string& report) { log_.push_back(report); },
                     std::move(real));
  }
  std::vector<std::string> log_;
  Machine machine_;
};

TEST(CannedObject, MatchesItsOwnPinAndToken) {
  const auto info =
      CannedObject({.resource = kConfigMap, .name_space = "kube-public", .name = "cluster-info"});
  ASSERT_TRUE(info);
  const std::string text = json::TextAt(*info, {"data", "kubeconfig"});
  EXPECT_EQ(json::TextAt(*info, {"data", "jws-kubeconfig-abcdef"}),
            pki::DetachedJws("abcdef", "abcdef0123456789", text));
  const auto cluster = kube::Kubeconfig::Parse(text).clusters.at("");
  EXPECT_EQ(cluster.server, kCannedServer);
  EXPECT_EQ(pki::Pin(pki::Certificate::FromPem(cluster.certificate_authority_data)), kCannedPin);
}

TEST(CannedObject, HasAllObjectsThatAJoinReads) {
  for (const char* name : {"kubeadm-config", "kubelet-config", "kube-proxy"}) {
    EXPECT_TRUE(CannedObject({.resource = kConfigMap, .name_space = "kube-system", .name = name}))
        << name;
  }
  const auto certs =
      CannedObject({.resource = kSecret, .name_space = "kube-system", .name = "kubeadm-certs"});
  EXPECT_THAT(json::At(*certs, {"data"}), SizeIs(8));
  const auto node = CannedObject({.resource = kube::resources::kNode, .name = "n"});
  EXPECT_EQ(json::TextAt(*node, {"metadata", "labels", "kubernetes.io/hostname"}), "n");
  EXPECT_FALSE(CannedObject({.resource = kSecret, .name_space = "kube-system", .name = "other"}));
  EXPECT_FALSE(CannedObject({.verb = kube::Verb::kList, .resource = kConfigMap}));
}

TEST_F(DryRun, UsesTheCannedClusterWhenNoServerAnswers) {
  machine_.ByToken("192.0.2.1:6443");
  machine_.join.discovery.bootstrap_token->token = std::string(kCannedToken);
  machine_.ask = AskOver(Refused);
  const Outcome outcome = machine_.Run();
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_EQ(outcome.config.CurrentCluster()->server, kCannedServer);
  EXPECT_EQ(machine_.waited, base::Duration::zero());
  ASSERT_THAT(log_, SizeIs(1));
  EXPECT_THAT(log_[0], AllOf(HasSubstr("Would perform action GET on resource \"configmaps\""),
                             HasSubstr("\"cluster-info\", namespace \"kube-public\"")));
}

TEST_F(DryRun, ReplacesATokenThatTheCannedClusterDoesNotKnow) {
  machine_.ByToken("192.0.2.1:6443", {"sha256:" + std::string(64, 'a')});
  machine_.join.discovery.bootstrap_token->token = "zzzzzz.0123456789abcdef";
  machine_.ask = AskOver(Refused);
  testing::internal::CaptureStderr();
  const Outcome outcome = machine_.Run();
  const std::string warned = testing::internal::GetCapturedStderr();
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_THAT(warned,
              AllOf(HasSubstr(kCannedToken), HasSubstr(kCannedPin), HasSubstr(kCannedServer)));
  EXPECT_THAT(log_, SizeIs(3));  // once more with the replaced token, and again for the pin
}

TEST_F(DryRun, RefusesAWrongSecretOfTheCannedToken) {
  machine_.ByToken("192.0.2.1:6443");
  machine_.join.discovery.bootstrap_token->token = "abcdef.0000000000000000";
  machine_.ask = AskOver(Refused);
  EXPECT_THAT(machine_.Run().error.message(), HasSubstr("JWS"));
}

TEST_F(DryRun, PrefersARealClusterThatAnswers) {
  FakeCluster cluster;
  machine_.ask = AskOver(HttpAsk);
  machine_.ByToken(cluster.Endpoint(), {pki::Pin(Certificates::Get().ca.certificate)});
  EXPECT_EQ(machine_.Run().config.CurrentCluster()->server, "https://published:6443");
  EXPECT_THAT(log_, SizeIs(2));
  machine_.ask = AskOver(HttpAsk);
  cluster.signatures.clear();
  cluster.knows_token = false;
  EXPECT_TRUE(machine_.Run().failed);
}

TEST_F(DryRun, UsesNoCannedDocumentForAnUnreachableUrl) {
  machine_.ByFile("https://files.example.org/d.conf");
  machine_.timeout = std::chrono::seconds(1);
  machine_.ask = AskOver(Refused);
  EXPECT_THAT(machine_.Run().error.message(), HasSubstr("connection refused"));
  EXPECT_THAT(log_, IsEmpty());
}

}  // namespace
}  // namespace discovery
