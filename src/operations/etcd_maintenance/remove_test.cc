// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/remove.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "etcd/fake_client.h"
#include "host/fake_host.h"
#include "workflow/reporter.h"

namespace etcd_maintenance {
namespace {

using base::Error;
using base::Thrown;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RemoveTest : public testing::Test {
 protected:
  RemoveTest() {
    auto client = std::make_unique<etcd::FakeClient>();
    client_ = client.get();
    access_ = std::make_shared<Access>(
        Access{.client = std::move(client), .local = {}, .waiting = time_.Wait()});
    for (const std::uint64_t id : {1U, 2U, 3U}) {
      client_->Start(id, "cp" + std::to_string(id));
    }
  }
  void Kill(const std::string& name) {
    client_->refusals["https://" + name + ":2379"] = "connection refused";
  }
  RemovalPlan Plan(const std::string& name, const std::string& own = {}, bool resumes = false) {
    return PlanRemoval(etcd::ClusterHealth(*client_), name, own, resumes);
  }

  host::FakeHost fake_;
  etcd::FakeTime time_;
  etcd::FakeClient* client_ = nullptr;
  std::shared_ptr<Access> access_;
};

TEST_F(RemoveTest, NamesTheRemainingMembers) {
  Kill("cp3");
  const RemovalPlan plan = Plan("cp3");
  RequireAllowed(plan);
  EXPECT_THAT(plan.remaining, ElementsAre("cp1", "cp2"));
  EXPECT_EQ(plan.tolerated, 0U);
  EXPECT_FALSE(plan.healthy);
  EXPECT_THAT(TextOf(plan), HasSubstr("voting members afterwards: cp1, cp2"));
}

TEST_F(RemoveTest, RefusesToLoseTheMajority) {
  Kill("cp3");
  const Error error = Thrown([&] { RequireAllowed(Plan("cp2")); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("only 1 of 2 voting etcd members would be healthy"));
  EXPECT_THAT(error.message(), HasSubstr("nothing was changed"));
}

TEST_F(RemoveTest, RefusesTheOnlyMemberAndTheMemberOfThisNode) {
  EXPECT_THAT(Plan("cp1", "https://cp1:2380").refusal.value(), HasSubstr("kubeadm reset"));
  EXPECT_FALSE(Plan("cp2", "https://cp1:2380").refusal);
  client_->members.resize(1);
  EXPECT_THAT(Plan("cp1").refusal.value(), HasSubstr("the only member"));
}

TEST_F(RemoveTest, WarnsOfAHealthyMember) {
  const RemovalPlan plan = Plan("cp3");
  RequireAllowed(plan);
  EXPECT_TRUE(plan.healthy);
  EXPECT_THAT(TextOf(plan), HasSubstr("it is healthy"));
}

TEST_F(RemoveTest, RemovesAMemberById) {
  Kill("cp3");
  const engine::Operation operation = RemoveOperation(Plan("3"), "3", access_);
  workflow::Reporter reporter(fake_.clock, {});
  engine::Run(operation, {}, {.host = fake_.host, .reporter = reporter});
  EXPECT_THAT(client_->calls(), Contains("Remove 3"));
  EXPECT_FALSE(engine::LoadJournal(fake_.files, kRemoveOperation));
}

TEST_F(RemoveTest, ChecksTheMajorityAgainBeforeTheRemoval) {
  Kill("cp3");
  const engine::Operation operation = RemoveOperation(Plan("cp3"), "cp3", access_);
  Kill("cp2");
  workflow::Reporter reporter(fake_.clock, {});
  EXPECT_THROW(engine::Run(operation, {}, {.host = fake_.host, .reporter = reporter}), Error);
  EXPECT_THAT(client_->calls(), Not(Contains("Remove 3")));
}

TEST_F(RemoveTest, ResumesARemovalThatWasDone) {
  EXPECT_EQ(Thrown([&] { Plan("cp9"); }).kind(), Error::Kind::kNotFound);
  const RemovalPlan plan = Plan("cp9", "", /*resumes=*/true);
  EXPECT_FALSE(plan.member);
  EXPECT_TRUE(RemoveOperation(plan, "cp9", access_).steps.empty());
  EXPECT_THAT(TextOf(plan), HasSubstr("removed already"));
}

TEST_F(RemoveTest, ResumesOnlyTheRemovalOfTheSameMember) {
  engine::SaveJournal(fake_.files, {.operation = std::string(kRemoveOperation),
                                    .id = "1",
                                    .intent = {{"member", "cp3"}},
                                    .facts = json::Value::object(),
                                    .directory = {},
                                    .steps = {},
                                    .files = {}});
  EXPECT_TRUE(FindInterruptedRemoval(fake_.files, "cp3"));
  EXPECT_FALSE(FindInterruptedRemoval(fake_.files, "cp2"));
}

}  // namespace
}  // namespace etcd_maintenance
