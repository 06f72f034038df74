// SPDX-License-Identifier: Apache-2.0
#include "config_change/join_tokens.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "kube/fake_cluster.h"

namespace config_change {
namespace {

using join_secrets::JoinTokens;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

TEST(JoinTokensIn, ReadsItsOnlySetting) {
  EXPECT_EQ(JoinTokensIn(Words{"nodeBoundTokens.enabled=true"}), JoinTokens::kBoundOnly);
  EXPECT_EQ(JoinTokensIn(Words{"nodeBoundTokens.enabled=false"}), JoinTokens::kAll);
  EXPECT_EQ(JoinTokensIn(Words{"apiServer.extraArgs.v=4"}), std::nullopt);
  EXPECT_EQ(JoinTokensIn(Words{}), std::nullopt);
}

TEST(JoinTokensIn, RefusesFurtherSettingsAndOtherValues) {
  for (const Words& words : {Words{"nodeBoundTokens.enabled=yes"}, Words{"nodeBoundTokens=true"},
                             Words{"nodeBoundTokens.enabled=true", "nodeBoundTokens.enabled=true"},
                             Words{"apiServer.extraArgs.v=4", "nodeBoundTokens.enabled=true"}}) {
    EXPECT_EQ(base::Thrown([&] { JoinTokensIn(words); }).kind(), base::Error::Kind::kUsage)
        << words.front();
  }
}

TEST(JoinTokensIn, ReadsAFileWithOnlyOurExtension) {
  const std::string extension =
      "apiVersion: config.slipway/v1alpha1\nkind: ExtensionConfiguration\n";
  const auto read = [](const std::string& text) {
    return JoinTokensIn(config::Source{.text = text});
  };
  EXPECT_EQ(read(extension + "nodeBoundTokens: {enabled: true}\n"), JoinTokens::kBoundOnly);
  EXPECT_EQ(read(extension), JoinTokens::kAll);
  EXPECT_EQ(
      read("apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n---\n" + extension),
      std::nullopt);
  EXPECT_THAT(base::Thrown([&] { read(extension + "nodeBoundToken: {}\n"); }).message(),
              HasSubstr("nodeBoundToken"));
}

class ChoiceOfTokens : public kube::FakeCluster {
 protected:
  std::vector<std::string> Steps(JoinTokens wanted) {
    const auto client = std::make_shared<kube::Client>(client_);
    std::vector<std::string> ids;
    for (const engine::Step& step :
         JoinTokensOperation(CollectJoinTokens(*client), wanted, client).steps) {
      ids.push_back(step.id);
    }
    return ids;
  }
};

TEST_F(ChoiceOfTokens, SkipsCompletedChanges) {
  join_secrets::ApplyJoinTokens(client_, JoinTokens::kAll);
  EXPECT_THAT(Steps(JoinTokens::kAll), IsEmpty());
  EXPECT_THAT(Steps(JoinTokens::kBoundOnly), ElementsAre("approver-tokens", "join-tokens"));
  join_secrets::ApplyJoinTokens(client_, JoinTokens::kBoundOnly);
  EXPECT_THAT(Steps(JoinTokens::kBoundOnly), IsEmpty());
  EXPECT_THAT(Steps(JoinTokens::kAll), ElementsAre("join-tokens"));
}

TEST_F(ChoiceOfTokens, IsRepeatedIfAnotherKubeadmCreatedTheRuleAgain) {
  join_secrets::ApplyJoinTokens(client_, JoinTokens::kBoundOnly);
  join_secrets::ApplyBootstrapRule(client_, join_secrets::BootstrapRule::kApproveBootstrapCsrs);
  EXPECT_THAT(Steps(JoinTokens::kBoundOnly), ElementsAre("approver-tokens", "join-tokens"));
}

}  // namespace
}  // namespace config_change
