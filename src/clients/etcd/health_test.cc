// SPDX-License-Identifier: Apache-2.0
#include "etcd/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "etcd/fake_client.h"

namespace etcd {
namespace {

using testing::HasSubstr;
using Kind = base::Error::Kind;

class HealthTest : public testing::Test {
 protected:
  HealthTest() {
    client_.Start(1, "cp1");
    client_.Start(2, "cp2");
    client_.Start(3, "cp3");
  }
  FakeClient client_;
  FakeTime time_;
};

TEST_F(HealthTest, HasALeaderAndNoExplanationWhenAllMembersAreHealthy) {
  const Health health = ClusterHealth(client_);
  EXPECT_EQ(health.Voters(), 3U);
  EXPECT_EQ(health.HealthyVoters(), 3U);
  ASSERT_NE(health.Leader(), nullptr);
  EXPECT_EQ(health.Leader()->member.name, "cp1");
  EXPECT_EQ(Explain(health), std::nullopt);
}

TEST_F(HealthTest, NamesTheDeadMemberAndHowToRemoveIt) {
  client_.statuses.erase("https://cp1:2379");
  const Health health = ClusterHealth(client_);
  EXPECT_TRUE(health.HasQuorum());
  EXPECT_EQ(health.Leader(), nullptr);
  EXPECT_EQ(
      Explain(health),
      "etcd member cp1 (1) is not healthy: etcd at https://cp1:2379 is not available: gone\n"
      "if it will not come back, remove it: 'kubeadm etcd remove 1' on another control plane");
}

TEST_F(HealthTest, TreatsASlowMemberAsHealthy) {
  client_.slow["https://cp2:2379"] = milliseconds(9'000);
  EXPECT_EQ(ClusterHealth(client_).HealthyVoters(), 3U);
  client_.slow["https://cp2:2379"] = milliseconds(11'000);
  EXPECT_EQ(ClusterHealth(client_).HealthyVoters(), 2U);
}

TEST_F(HealthTest, SuggestsNoRemovalWithoutAQuorum) {
  client_.statuses.erase("https://cp1:2379");
  client_.statuses.erase("https://cp3:2379");
  const Health health = ClusterHealth(client_);
  EXPECT_FALSE(health.HasQuorum());
  EXPECT_THAT(Explain(health), testing::Optional(HasSubstr("cp3")));
  EXPECT_THAT(Explain(health), testing::Optional(Not(HasSubstr("kubectl"))));
}

TEST_F(HealthTest, CountsAlarmsAndTheMissingLeaderAsProblems) {
  client_.statuses["https://cp1:2379"].errors = {"NOSPACE"};
  client_.statuses["https://cp2:2379"].leader_id = 0;
  client_.members[2].name = "";
  const Health health = ClusterHealth(client_);
  EXPECT_EQ(health.members[0].problem, "reports NOSPACE");
  EXPECT_EQ(health.members[1].problem, "knows of no leader");
  EXPECT_EQ(health.members[2].problem, "was added, but has not started yet");
  EXPECT_EQ(health.HealthyVoters(), 0U);
}

TEST_F(HealthTest, ListsMembersFromOneMemberIfTheMajorityIsLost) {
  client_.on_call = [](const std::string& call) {
    if (call == "Members") {
      throw base::Error(Kind::kTimeout, "no quorum");
    }
    return Refusal::kNone;
  };
  EXPECT_EQ(ClusterHealth(client_).members.size(), 3U);
}

TEST_F(HealthTest, WaitsUntilAMajorityAnswers) {
  const auto saved = client_.statuses;
  client_.statuses.clear();
  time_.on_pause = [&] {
    if (time_.pauses.size() == 2) {
      client_.statuses = saved;
    }
    return true;
  };
  EXPECT_TRUE(WaitForQuorum(client_, time_.Wait()).HasQuorum());
  EXPECT_EQ(time_.pauses.size(), 2U);
  client_.statuses.clear();
  const base::Error error =
      base::Thrown([&] { WaitForQuorum(client_, time_.Wait(milliseconds(1'000))); });
  EXPECT_EQ(error.kind(), Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("within 1s: etcd member cp1"));
}

TEST_F(HealthTest, NamesAVoterThatNeverStartedInsteadOfWaiting) {
  client_.members.resize(1);
  client_.members.push_back({.id = 0xab, .peer_urls = {"https://lost:2380"}});
  client_.statuses.begin()->second.leader_id = 0;  // the started member knows no leader
  const base::Error error =
      base::Thrown([&] { WaitForQuorum(client_, time_.Wait(milliseconds(240'000))); });
  EXPECT_EQ(error.kind(), Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("etcd member https://lost:2380 (ab) is not healthy: was "
                                         "added, but has not started yet"));
  EXPECT_LE(time_.now.time_since_epoch(), kStartPatience + std::chrono::seconds(1));
}

TEST(NameOf, IsThePeerUrlUntilTheMemberStarted) {
  EXPECT_EQ(NameOf({.id = 1, .name = "cp1", .peer_urls = {"u"}}), "cp1");
  EXPECT_EQ(NameOf({.id = 1, .peer_urls = {"u"}}), "u");
  EXPECT_EQ(NameOf({.id = 0xab}), "ab");
}

}  // namespace
}  // namespace etcd
