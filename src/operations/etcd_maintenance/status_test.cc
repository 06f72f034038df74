// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "etcd/fake_client.h"

namespace etcd_maintenance {
namespace {

using base::Error;
using base::Thrown;
using testing::HasSubstr;
using testing::Not;

class StatusTest : public testing::Test {
 protected:
  StatusTest() {
    for (const std::uint64_t id : {1U, 2U, 3U}) {
      const std::string name = "cp" + std::to_string(id);
      client_.Start(id, name);
      etcd::MemberStatus& status = StatusOf(name);
      status.revision = 100;
      status.db_size = 4 << 20;
      status.db_size_in_use = 1 << 20;
      status.db_quota = std::int64_t{2} << 30;
    }
  }

  etcd::MemberStatus& StatusOf(const std::string& name) {
    return client_.statuses.at("https://" + name + ":2379");
  }
  void Kill(const std::string& name) {
    client_.refusals["https://" + name + ":2379"] = "connection refused";
  }

  etcd::FakeClient client_;
};

TEST_F(StatusTest, ShowsSizesLeaderAndLag) {
  StatusOf("cp3").revision = 90;
  const ClusterState state = CollectState(client_);
  EXPECT_TRUE(state.IsHealthy());
  EXPECT_EQ(state.leader, "cp1");
  EXPECT_EQ(state.revision, 100);
  EXPECT_EQ(state.members[2].lag, 10);
  const std::string text = TextOf(state);
  EXPECT_THAT(text, HasSubstr("4.0 MiB"));
  EXPECT_THAT(text, HasSubstr("2.0 GiB"));
  EXPECT_THAT(text, HasSubstr("3 of 3 voting members are healthy, etcd has its majority, "
                              "leader: cp1"));
}

TEST_F(StatusTest, HasARowForAMemberThatDoesNotAnswer) {
  Kill("cp3");
  const ClusterState state = CollectState(client_);
  EXPECT_TRUE(state.quorum);
  EXPECT_FALSE(state.IsHealthy());
  EXPECT_THAT(TextOf(state), HasSubstr("cp3: etcd at https://cp3:2379 is not available"));
  EXPECT_THAT(TextOf(state), HasSubstr("kubeadm etcd remove cp3"));
  const json::Value row = ObjectOf(state)["members"][2];
  EXPECT_EQ(row["healthy"], false);
  EXPECT_TRUE(row["dbSize"].is_null());
}

TEST_F(StatusTest, RecommendsARecoveryOnlyWithoutAMajority) {
  Kill("cp3");
  EXPECT_THAT(TextOf(CollectState(client_)), Not(HasSubstr("kubeadm etcd recover")));
  Kill("cp2");
  StatusOf("cp1").leader_id = 0;
  const ClusterState state = CollectState(client_);
  EXPECT_FALSE(state.quorum);
  EXPECT_EQ(state.leader, "");
  EXPECT_THAT(TextOf(state), HasSubstr("kubeadm etcd recover"));
}

TEST_F(StatusTest, BlamesAnAlarmOnItsMemberAlone) {
  for (const char* name : {"cp1", "cp2", "cp3"}) {
    StatusOf(name).errors = {"memberID:2 alarm:NOSPACE "};
  }
  const ClusterState state = CollectState(client_);
  EXPECT_TRUE(state.quorum);
  EXPECT_TRUE(state.members[0].problem.empty());
  EXPECT_THAT(state.members[1].alarms, testing::ElementsAre("NOSPACE"));
  EXPECT_THAT(state.members[1].problem, HasSubstr("NOSPACE"));
  EXPECT_THAT(TextOf(state), HasSubstr("kubeadm etcd defrag --clear-alarm"));
}

TEST_F(StatusTest, IsAnObjectForPrograms) {
  StatusOf("cp2").db_quota = 0;
  const json::Value object = ObjectOf(CollectState(client_));
  EXPECT_EQ(object["kind"], "EtcdStatus");
  EXPECT_EQ(object["healthy"], true);
  EXPECT_EQ(object["members"][0]["leader"], true);
  EXPECT_EQ(object["members"][1]["leader"], false);
  EXPECT_EQ(object["members"][0]["dbSizeQuota"], std::int64_t{2} << 30);
  EXPECT_TRUE(object["members"][1]["dbSizeQuota"].is_null());
  EXPECT_EQ(object["members"][0]["revisionLag"], 0);
}

TEST_F(StatusTest, ListsMembersWithoutAMajority) {
  client_.members.push_back({.id = 0xabc, .peer_urls = {"https://new:2380"}, .learner = true});
  client_.on_call = [](const std::string& call) -> etcd::Refusal {
    if (call == "Members") {
      throw Error(Error::Kind::kUnavailable, "no leader");
    }
    return etcd::Refusal::kNone;
  };
  const MemberList list = CollectMembers(client_);
  EXPECT_EQ(list.members.size(), 4U);
  EXPECT_THAT(TextOf(list), HasSubstr("abc"));
  EXPECT_THAT(TextOf(list), HasSubstr("learner"));
  const json::Value row = ObjectOf(list)["members"][3];
  EXPECT_EQ(row["started"], false);
  EXPECT_EQ(row["id"], "abc");
}

TEST_F(StatusTest, FindsAMemberByNameOrId) {
  EXPECT_EQ(RequireMember(client_.members, "cp2").id, 2U);
  EXPECT_EQ(RequireMember(client_.members, "3").name, "cp3");
  const Error error = Thrown([&] { RequireMember(client_.members, "cp9"); });
  EXPECT_EQ(error.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("cp1 (1), cp2 (2), cp3 (3)"));
}

}  // namespace
}  // namespace etcd_maintenance
