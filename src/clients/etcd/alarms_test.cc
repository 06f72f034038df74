// SPDX-License-Identifier: Apache-2.0
#include "etcd/alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace etcd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFull = "memberID:13803658152347727308 alarm:NOSPACE ";

MemberHealth Reporting(std::vector<std::string> errors) {
  return {.member = {.id = 1, .name = "cp"},
          .status = MemberStatus{.member_id = 1, .leader_id = 1, .errors = std::move(errors)},
          .problem = "reports something"};
}

TEST(Alarms, NameTheMemberAndTheKind) {
  EXPECT_THAT(AlarmsIn(MemberStatus{.errors = {kFull, kFull}}),
              ElementsAre(Alarm{.member_id = 13803658152347727308U, .kind = "NOSPACE"}));
  EXPECT_THAT(AlarmsIn(MemberStatus{.errors = {"memberID:1  alarm:CORRUPT"}}),
              ElementsAre(Alarm{.member_id = 1, .kind = "CORRUPT"}));
}

TEST(Alarms, DoNotIncludeOtherErrors) {
  EXPECT_THAT(AlarmsIn(MemberStatus{.errors = {"etcdserver: no leader"}}), IsEmpty());
}

TEST(Alarms, AreListedOnceForAllMembers) {
  Health health{.members = {Reporting({kFull}), Reporting({kFull, "memberID:2 alarm:NOSPACE "})}};
  health.members.push_back({.member = {.id = 3}, .status = {}, .problem = "gone"});
  EXPECT_EQ(AlarmsIn(health).size(), 2U);
}

TEST(IgnoringSpaceAlarms, KeepsEveryOtherProblem) {
  const Health health =
      IgnoringSpaceAlarms({.members = {Reporting({kFull}),
                                       Reporting({kFull, "etcdserver: no leader"}),
                                       Reporting({"memberID:1 alarm:CORRUPT "}),
                                       {.member = {.id = 3}, .status = {}, .problem = "gone"}}});
  EXPECT_TRUE(health.members[0].healthy());
  EXPECT_FALSE(health.members[1].healthy());
  EXPECT_FALSE(health.members[2].healthy());
  EXPECT_FALSE(health.members[3].healthy());
}

TEST(IgnoringSpaceAlarms, KeepsAMissingLeaderUnhealthy) {
  MemberHealth lost = Reporting({kFull});
  lost.status->leader_id = 0;
  EXPECT_FALSE(IgnoringSpaceAlarms({.members = {lost}}).members[0].healthy());
}

}  // namespace
}  // namespace etcd
