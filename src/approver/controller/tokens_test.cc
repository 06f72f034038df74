// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens that are bound to a node, in a running controller.
#include <gmock/gmock.h>

#include "controller/fake_controller.h"
#include "judgement/fake_cases.h"
#include "node_identities/identities.h"

namespace controller {
namespace {

using evidence::CsrObject;
using evidence::NodeObject;
using judgement::AskFor;
using judgement::FakeWorld;
using judgement::kMachineMade;
using kube::resources::kClusterRoleBinding;
using kube::resources::kConfigMap;
using kube::resources::kCsr;
using kube::resources::kNode;
using node_identities::TokenBinding;
using testing::HasSubstr;

constexpr const char* kMapPath = "/api/v1/namespaces/kube-system/configmaps";
const std::string kLiveRead = std::string("GET ") + kMapPath + "/kubeadm-node-identities";

class TokensTest : public ControllerTest {
 protected:
  TokensTest() {
    settings_.inventories = {.tokens = true};
    settings_.policy.bootstrap_tokens = settings_.policy.bound_tokens = true;
    clock_.Set(kMachineMade + std::chrono::seconds(60));
    server_.Put(kConfigMap,
                {{"metadata", {{"name", "cluster-machine-approver-used"}, {"namespace", "ns"}}}});
  }

  void Bind(const std::vector<TokenBinding>& bindings) {
    json::Value data = {{"tokens", "bound-only"}};
    for (const TokenBinding& binding : bindings) {
      data[KeyOf(binding)] = ValueOf(binding);
    }
    server_.Put(kConfigMap,
                {{"metadata", {{"name", "kubeadm-node-identities"}, {"namespace", "kube-system"}}},
                 {"data", data}});
  }
  static TokenBinding To(const std::string& node, bool once = false) {
    return {.token_id = "abcdef", .node = node, .once = once, .created = kMachineMade};
  }
  static FakeWorld By(const std::string& id) {
    FakeWorld world = FakeWorld::Client();
    world.csr.username = "system:bootstrap:" + id;
    world.csr.groups = {"system:bootstrappers", "system:authenticated"};
    return world;
  }
};

TEST_F(TokensTest, AttestOnlyTheirOwnNode) {
  Bind({To("panda")});
  Start();
  FakeWorld other = By("abcdef");
  AskFor(other, "bear");
  server_.Put(kCsr, CsrObject(other, "other"));
  UntilCounted("client-token-of-another-node");
  server_.Put(kCsr, CsrObject(By("ghijkl"), "unbound"));
  UntilCounted("client-token-not-bound");
  server_.Put(kCsr, CsrObject(By("abcdef"), "a"));
  UntilApproved("a");
  EXPECT_FALSE(Approved("other"));
  EXPECT_FALSE(Approved("unbound"));
}

TEST_F(TokensTest, ApproveAWaitingRequestOnceTheyAreBound) {
  Start();
  server_.Put(kCsr, CsrObject(By("abcdef"), "a"));
  UntilCounted("client-token-not-bound");
  Bind({To("panda")});
  UntilApproved("a");
}

TEST_F(TokensTest, RememberTheKeyOfAOneTimeTokenAfterARestart) {
  Bind({To("panda", true)});
  Start();
  server_.Put(kCsr, CsrObject(By("abcdef"), "a"));
  UntilApproved("a");
  server_.Remove(kCsr, "", "a");
  thread_ = {};
  controller_.reset();
  Start();
  FakeWorld again = By("abcdef");
  server_.Put(kCsr, CsrObject(again, "same-key"));
  UntilApproved("same-key");
  server_.Remove(kCsr, "", "same-key");
  again.request.key = pki::FakeKey::kP384;
  server_.Put(kCsr, CsrObject(again, "other-key"));
  UntilCounted("client-entry-used");
  EXPECT_FALSE(Approved("other-key"));
}

// The administrator binds the token to another node, and the watch misses this change. The approver
// must read the bindings from the API server, and must not approve the request.
TEST_F(TokensTest, AreReadAgainBeforeTheApproval) {
  Bind({To("panda")});
  Start();
  server_.Hide(kMapPath);
  Bind({To("bear")});
  server_.Put(kCsr, CsrObject(By("abcdef"), "a"));
  Until("the bindings are read", [this] { return Asked(kLiveRead) > 0; });
  const long before = Asked(kLiveRead);
  Until("they are read again", [&] { return Asked(kLiveRead) > before; });
  EXPECT_FALSE(Approved("a"));
}

TEST_F(TokensTest, WaitUntilAWithdrawnNodeIsAdmitted) {
  const auto put = [this](bool withdrawn) {
    const TokenBinding binding = To("panda");
    json::Value data = {{KeyOf(binding), ValueOf(binding)}};
    if (withdrawn) {
      const node_identities::Withdrawal withdrawal{.node = "panda", .since = kMachineMade};
      data[KeyOf(withdrawal)] = ValueOf(withdrawal);
    }
    server_.Put(kConfigMap,
                {{"metadata", {{"name", "kubeadm-node-identities"}, {"namespace", "kube-system"}}},
                 {"data", data}});
  };
  put(true);
  Start();
  server_.Put(kCsr, CsrObject(By("abcdef"), "a"));
  UntilCounted("node-withdrawn");
  EXPECT_FALSE(Approved("a"));
  put(false);
  UntilApproved("a");
}

TEST_F(TokensTest, ApproveNothingWhileTheirMapIsMalformed) {
  settings_.inventories.nodes_allowed = {"panda"};
  server_.Put(kConfigMap,
              {{"metadata", {{"name", "kubeadm-node-identities"}, {"namespace", "kube-system"}}},
               {"data", {{"token.abcdef", "no JSON"}}}});
  Start();
  server_.Put(kCsr, CsrObject(By("ghijkl"), "a"));
  UntilCounted("machine-list-failed");
  EXPECT_FALSE(Approved("a"));
}

TEST_F(TokensTest, ReportTheRuleThatMakesThemIneffective) {
  Start();
  const auto shown = [this](const char* line) {
    return [this, line] { return controller_->MetricsText().contains(line); };
  };
  Until("no rule is shown", shown("machine_approver_blanket_rule 0\n"));
  server_.Put(kClusterRoleBinding, {{"metadata", {{"name", node_identities::kBlanketRule}}}});
  Until("the rule is shown", shown("machine_approver_blanket_rule 1\n"));
  server_.Remove(kClusterRoleBinding, "", std::string(node_identities::kBlanketRule));
  Until("its end is shown", shown("machine_approver_blanket_rule 0\n"));
}

TEST_F(TokensTest, ReadNoClusterRoleBindingsWithoutTheInventory) {
  settings_.inventories = {.nodes = true};
  Start();
  EXPECT_FALSE(controller_->MetricsText().contains("blanket_rule"));
  for (const std::string& request : server_.Requests()) {
    EXPECT_FALSE(request.contains("clusterrolebindings")) << request;
  }
}

}  // namespace
}  // namespace controller
