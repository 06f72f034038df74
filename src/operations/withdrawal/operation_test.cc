// SPDX-License-Identifier: Apache-2.0
#include "withdrawal/operation.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "kube/fake_cluster.h"
#include "node_identities/cluster.h"

namespace withdrawal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'767'225'600)};  // 2026-01-01

WithdrawalFacts Worker() {
  return {.node = "worker-1",
          .now = kNow,
          .exists = true,
          .only_bound_tokens = true,
          .bindings = {{.token_id = "abcdef", .node = "worker-1", .created = kNow}},
          .validity = std::chrono::hours(24)};
}

std::vector<std::string> Ids(const engine::Operation& operation) {
  std::vector<std::string> ids;
  for (const engine::Step& step : operation.steps) {
    ids.push_back(step.id);
  }
  return ids;
}

class Withdrawal : public kube::FakeCluster {
 protected:
  const std::shared_ptr<kube::Client> admin_ = std::make_shared<kube::Client>(client_);
};

TEST_F(Withdrawal, BlocksTheNameInTheFirstStep) {
  EXPECT_THAT(Ids(PlanWithdrawal(Worker(), {.client = admin_})),
              ElementsAre("refuse", "tokens", "node"));
  WithdrawalFacts unbound = Worker();
  unbound.bindings.clear();
  EXPECT_THAT(Ids(PlanWithdrawal(unbound, {.client = admin_})), ElementsAre("refuse", "node"));
}

TEST_F(Withdrawal, RemovesTheMemberOfEtcdBeforeTheNode) {
  WithdrawalFacts facts = Worker();
  facts.member.emplace();
  facts.member->member = etcd::Member{.id = 1, .name = "worker-1", .peer_urls = {"https://a:2380"}};
  EXPECT_THAT(Ids(PlanWithdrawal(facts, {.client = admin_})),
              ElementsAre("refuse", "tokens", "etcd-member", "node"));
  RequireAllowed(facts);
  facts.member->refusal = "etcd would lose its majority";
  EXPECT_THAT(base::Thrown([&] { RequireAllowed(facts); }).message(), HasSubstr("majority"));
}

TEST(ToString, SaysUntilWhenCertificatesAreValid) {
  WithdrawalFacts facts = Worker();
  EXPECT_THAT(ToString(facts), HasSubstr("until 2026-01-02T00:00:00Z at the latest"));
  EXPECT_THAT(ToString(facts), Not(HasSubstr("keys of the CAs")));
  facts.control_plane = true;
  EXPECT_THAT(ToString(facts), HasSubstr("keys of the CAs"));
}

TEST(StepsAfter, NameTheRemainingAccess) {
  WithdrawalFacts facts = Worker();
  EXPECT_THAT(StepsAfter(facts), ElementsAre(HasSubstr("kubeadm node admit worker-1")));
  facts.control_plane = true;
  facts.only_bound_tokens = false;
  EXPECT_THAT(StepsAfter(facts), ElementsAre(HasSubstr("admit"), HasSubstr("rotate-ca"),
                                             HasSubstr("bootstrap token")));
}

TEST(SigningValidity, ComesFromTheControllerManager) {
  EXPECT_EQ(SigningValidity(std::nullopt), std::chrono::hours(8760));
  json::Value pod;
  pod["spec"]["containers"] = json::Value::array(
      {{{"command", {"kube-controller-manager", "--cluster-signing-duration=48h0m0s"}}}});
  EXPECT_EQ(SigningValidity(pod), std::chrono::hours(48));
  pod["spec"]["containers"][0]["command"] = {"kube-controller-manager"};
  EXPECT_EQ(SigningValidity(pod), std::chrono::hours(8760));
}

TEST_F(Withdrawal, IsEndedByAnAdmission) {
  EXPECT_EQ(base::Thrown([&] { PlanAdmission("worker-1", admin_); }).kind(),
            base::Error::Kind::kNotFound);
  node_identities::StoreWithdrawal(client_, {.node = "worker-1", .since = kNow});
  EXPECT_THAT(Ids(PlanAdmission("worker-1", admin_)), ElementsAre("admit"));
}

}  // namespace
}  // namespace withdrawal
