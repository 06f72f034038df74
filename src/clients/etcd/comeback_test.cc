// SPDX-License-Identifier: Apache-2.0
#include "etcd/comeback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "etcd/fake_client.h"

namespace etcd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr milliseconds kLimit{120'000};

// The member `cp1` of three must restart while `cp3` is unhealthy.
class LastingProblemTest : public testing::Test {
 protected:
  LastingProblemTest() {
    for (const auto& [id, name] : {std::pair{1, "cp1"}, {2, "cp2"}, {3, "cp3"}}) {
      client_.Start(id, name);
    }
  }

  std::optional<std::string> Ask() {
    return LastingProblem({.step = Step::kRestart,
                           .health = [this] { return ClusterHealth(client_); },
                           .member = [this](const Health& health) { return health.Named(own_); }},
                          time_.Wait(kLimit),
                          [this](const std::string& line) { lines_.push_back(line); });
  }

  FakeClient client_;
  FakeTime time_;
  std::string own_ = "cp1";
  std::vector<std::string> lines_;
};

TEST_F(LastingProblemTest, IsEmptyWithoutWaitingWhenAllAreHealthy) {
  EXPECT_EQ(Ask(), std::nullopt);
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_THAT(time_.pauses, IsEmpty());
}

TEST_F(LastingProblemTest, WaitsForAnElectionAndReportsIt) {
  client_.statuses["https://cp3:2379"].errors = {"etcdserver: no leader"};
  time_.on_pause = [&] {
    if (time_.pauses.size() == 3) {
      client_.statuses["https://cp3:2379"].errors.clear();
    }
    return true;
  };
  EXPECT_EQ(Ask(), std::nullopt);
  EXPECT_THAT(lines_, ElementsAre(testing::AllOf(
                          HasSubstr("for 1m0s at most"),
                          HasSubstr("etcd would lose its majority while member cp1 restarts"),
                          HasSubstr("cp3 (3) is not healthy: reports etcdserver: no leader"))));
}

TEST_F(LastingProblemTest, PersistsIfAMemberIsSilentForItsGracePeriod) {
  struct Case {
    std::string name;
    std::string says;
    milliseconds least, most;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"silent", "does not answer in time", kLimit / 2, kLimit * 2 / 3},
           {"nothing listens", "connection refused", milliseconds(15'000), milliseconds(16'000)}}) {
    client_.refusals["https://cp3:2379"] = c.says;
    const auto begin = time_.now;
    EXPECT_THAT(Ask().value_or(""), HasSubstr("etcd would lose its majority")) << c.name;
    EXPECT_GE(time_.now - begin, c.least) << c.name;
    EXPECT_LE(time_.now - begin, c.most) << c.name;
  }
}

TEST_F(LastingProblemTest, PersistsWhileTheMemberOfThisNodeIsUnhealthy) {
  client_.statuses.erase("https://cp3:2379");
  time_.on_pause = [&] {
    client_.statuses["https://cp1:2379"].errors = {"etcdserver: no leader"};
    return true;
  };
  EXPECT_THAT(Ask().value_or(""), HasSubstr("etcd would lose its majority"));
}

TEST_F(LastingProblemTest, PersistsWhileNoMemberAnswers) {
  client_.statuses.erase("https://cp3:2379");
  time_.on_pause = [&] {
    own_ = "not in any answer";
    return true;
  };
  EXPECT_THAT(Ask().value_or(""), HasSubstr("etcd would lose its majority"));
}

TEST_F(LastingProblemTest, RetriesUnreachableMembers) {
  client_.on_call = [&](const std::string&) -> Refusal {
    if (time_.pauses.empty()) {
      throw base::Error(base::Error::Kind::kUnavailable, "nobody answers");
    }
    return Refusal::kNone;
  };
  EXPECT_EQ(Ask(), std::nullopt);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("for 2m0s at most: nobody answers")));
}

TEST_F(LastingProblemTest, IsEmptyIfThisNodeHasNoMember) {
  client_.statuses.erase("https://cp3:2379");
  own_ = "another";
  EXPECT_EQ(Ask(), std::nullopt);
  EXPECT_THAT(time_.pauses, IsEmpty());
}

TEST_F(LastingProblemTest, AnInterruptEndsTheWait) {
  client_.statuses.erase("https://cp3:2379");
  time_.on_pause = [] { return false; };
  EXPECT_THAT(base::InterruptionOf([&] { Ask(); }),
              HasSubstr("etcd is not ready for this: stopped: etcd would lose"));
}

}  // namespace
}  // namespace etcd
