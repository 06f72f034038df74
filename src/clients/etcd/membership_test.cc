// SPDX-License-Identifier: Apache-2.0
#include "etcd/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "etcd/fake_client.h"
#include "etcd/health.h"

namespace etcd {
namespace {

using base::Error;
using base::Thrown;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Error::Kind;

const NewMember kSelf{.name = "cp2", .peer_url = "https://cp2:2380"};

class Membership : public testing::Test {
 protected:
  Membership() { client_.Start(1, "cp1"); }
  Joined Add() {
    return AddLearner(client_, kSelf, time_.Wait(),
                      [&](const std::string& reason) { reports_.push_back(reason); });
  }
  Removal RemoveSelf() { return RemoveMember(client_, {.peer_url = kSelf.peer_url}, time_.Wait()); }

  FakeClient client_;
  FakeTime time_;
  std::vector<std::string> reports_;
};

TEST_F(Membership, AddsANewMemberAsLearner) {
  const Joined joined = Add();
  EXPECT_EQ(joined.found, Found::kAdded);
  EXPECT_EQ(joined.initial_cluster, "cp1=https://cp1:2380,cp2=https://cp2:2380");
  EXPECT_EQ(joined.id, client_.members.back().id);
  EXPECT_TRUE(client_.members.back().learner);
  EXPECT_TRUE(time_.pauses.empty());
}

TEST_F(Membership, ReusesTheMemberOfAnEarlierRun) {
  struct Case {
    Member member;
    Found want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{.id = 7, .peer_urls = {kSelf.peer_url}, .learner = true}, Found::kNotStarted},
           {{.id = 7, .name = "cp2", .peer_urls = {kSelf.peer_url}, .learner = true},
            Found::kLearner},
           {{.id = 7, .name = "cp2", .peer_urls = {kSelf.peer_url}}, Found::kVoter},
       }) {
    client_.members.resize(1);
    client_.members.push_back(c.member);
    const Joined joined = Add();
    EXPECT_EQ(joined.found, c.want);
    EXPECT_EQ(joined.id, 7U);
    EXPECT_EQ(joined.initial_cluster, "cp1=https://cp1:2380,cp2=https://cp2:2380");
  }
  EXPECT_THAT(client_.calls(), ElementsAre("Members", "Members", "Members"));
}

TEST_F(Membership, IsAddedOnlyOnceIfTheAnswerIsLost) {
  client_.on_call = [&](const std::string& call) {
    if (call.starts_with("AddLearner") && client_.members.size() == 1) {
      client_.members.push_back({.id = 9, .peer_urls = {kSelf.peer_url}, .learner = true});
      throw Error(Kind::kTimeout, "no answer");
    }
    return Refusal::kNone;
  };
  EXPECT_EQ(Add().id, 9U);
  EXPECT_EQ(client_.members.size(), 2U);
}

TEST_F(Membership, WaitsForAnotherControlPlaneThatJoins) {
  client_.Start(3, "cp3", true);
  client_.on_call = [&](const std::string& call) {
    return call.starts_with("AddLearner") && client_.members[1].learner ? Refusal::kTooManyLearners
                                                                        : Refusal::kNone;
  };
  time_.on_pause = [&] {
    client_.members[1].learner = time_.pauses.size() < 3;
    return true;
  };
  EXPECT_EQ(Add().found, Found::kAdded);
  EXPECT_THAT(time_.pauses, ElementsAre(milliseconds(50), milliseconds(100), milliseconds(200)));
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_THAT(reports_[0], HasSubstr("joining as cp3"));
  EXPECT_THAT(reports_[0], HasSubstr("'kubeadm etcd remove 3'"));
}

TEST_F(Membership, NamesTheAwaitedMemberAfterATimeout) {
  client_.on_call = [](const std::string& call) {
    return call.starts_with("AddLearner") ? Refusal::kUnhealthy : Refusal::kNone;
  };
  const Error error = Thrown([&] { Add(); });
  EXPECT_EQ(error.kind(), Kind::kTimeout);
  EXPECT_EQ(error.message(),
            "etcd member cp2 was not added within 10s: etcd accepts no change of members until all "
            "of them have been connected for 5 seconds");
  EXPECT_EQ(time_.pauses.back() <= milliseconds(500), true);
}

TEST_F(Membership, NamesAVoterThatNeverStarted) {
  client_.members.push_back({.id = 0xab, .peer_urls = {"https://lost:2380"}});
  client_.on_call = [](const std::string& call) {
    return call.starts_with("AddLearner") ? Refusal::kUnhealthy : Refusal::kNone;
  };
  const Error error =
      Thrown([&] { AddLearner(client_, kSelf, time_.Wait(milliseconds(120'000))); });
  EXPECT_EQ(error.kind(), Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("while https://lost:2380, which was added as a voter"));
  EXPECT_THAT(error.message(), HasSubstr("kubeadm etcd remove ab"));
  EXPECT_LE(time_.now.time_since_epoch(), kStartPatience + std::chrono::seconds(1));
}

TEST_F(Membership, EndsAtOnceAfterAPermanentError) {
  client_.on_call = [](const std::string&) -> Refusal { throw Error(Kind::kUnauthorized, "CA"); };
  EXPECT_EQ(Thrown([&] { Add(); }).kind(), Kind::kUnauthorized);
  EXPECT_TRUE(time_.pauses.empty());
}

TEST_F(Membership, RefusesASecondMemberOfTheSameName) {
  client_.Start(8, "cp2").peer_urls = {"https://old:2380"};
  const Error error = Thrown([&] { Add(); });
  EXPECT_EQ(error.kind(), Kind::kAlreadyExists);
  EXPECT_THAT(error.message(), HasSubstr("cp2 at https://old:2380"));
  EXPECT_THAT(error.message(), HasSubstr("kubeadm etcd remove 8"));
}

TEST_F(Membership, EndsWhenStopped) {
  client_.on_call = [](const std::string&) -> Refusal { throw Error(Kind::kUnavailable, "gone"); };
  time_.on_pause = [] { return false; };
  EXPECT_THROW(Add(), base::Interrupted);
}

TEST_F(Membership, ReportsTheFailedComponent) {
  client_.on_call = [](const std::string&) -> Refusal { throw Error(Kind::kUnavailable, "gone"); };
  Waiting waiting = time_.Wait();
  waiting.culprit = [] { return Error("etcd exits"); };
  EXPECT_EQ(Thrown([&] { AddLearner(client_, kSelf, waiting); }).message(), "etcd exits");
}

TEST(InitialCluster, NamesUnstartedMembersByTheirId) {
  const std::vector<Member> members = {
      {.id = 1, .name = "cp1", .peer_urls = {"https://cp1:2380", "https://[fd00::1]:2380"}},
      {.id = 0xabc, .peer_urls = {"https://cp3:2380"}},
      {.id = 2, .peer_urls = {kSelf.peer_url}}};
  EXPECT_EQ(InitialCluster(members, kSelf),
            "cp1=https://cp1:2380,cp1=https://[fd00::1]:2380,abc=https://cp3:2380,"
            "cp2=https://cp2:2380");
}

class Promotion : public Membership {
 protected:
  Promotion() { learner_ = &client_.Start(2, "cp2", true); }
  void Promote() {
    PromoteWhenCaughtUp(client_, 2, time_.Wait(),
                        [&](const LearnerProgress& each) { progress_.push_back(each); });
  }
  Member* learner_;
  std::vector<LearnerProgress> progress_;
};

TEST_F(Promotion, HappensOnceTheLearnerHasStartedAndCaughtUp) {
  *learner_ = {.id = 2, .peer_urls = {kSelf.peer_url}, .learner = true};
  auto& status = client_.statuses["https://cp2:2379"];
  status.applied_index = 40;
  client_.on_call = [&](const std::string& call) {
    return call == "Promote 2" && status.applied_index < 100 ? Refusal::kNotInSync : Refusal::kNone;
  };
  time_.on_pause = [&] {
    if (time_.pauses.size() == 2) {
      learner_->name = "cp2";
      learner_->client_urls = {"https://cp2:2379"};
    }
    if (time_.pauses.size() == 4) {
      status.applied_index = 100;
    }
    return true;
  };
  Promote();
  EXPECT_FALSE(learner_->learner);
  EXPECT_THAT(progress_,
              ElementsAre(LearnerProgress{},
                          LearnerProgress{.started = true, .applied = 40, .leader_applied = 100}));
}

TEST_F(Promotion, HasNoEffectForAVoter) {
  learner_->learner = false;
  Promote();
  EXPECT_THAT(client_.calls(), ElementsAre("Members"));
}

TEST_F(Promotion, EndsWhenTheMemberWasRemoved) {
  client_.members.pop_back();
  EXPECT_EQ(Thrown([&] { Promote(); }).kind(), Kind::kNotFound);
  EXPECT_TRUE(time_.pauses.empty());
}

TEST_F(Promotion, ReportsItsProgressAfterATimeout) {
  client_.statuses["https://cp2:2379"].applied_index = 40;
  client_.on_call = [](const std::string& call) {
    return call == "Promote 2" ? Refusal::kNotInSync : Refusal::kNone;
  };
  const Error error = Thrown([&] { Promote(); });
  EXPECT_EQ(error.kind(), Kind::kTimeout);
  EXPECT_EQ(error.message(),
            "etcd member 2 was not promoted within 10s: it has copied 40 of 100 changes");
}

TEST_F(Membership, IsRemovedUnlessItIsTheOnlyMember) {
  EXPECT_EQ(RemoveSelf(), Removal::kAbsent);
  client_.Start(2, "cp2");
  EXPECT_EQ(RemoveSelf(), Removal::kRemoved);
  EXPECT_EQ(client_.members.size(), 1U);
  client_.members[0].peer_urls = {kSelf.peer_url};
  EXPECT_EQ(RemoveSelf(), Removal::kOnlyMember);
}

TEST_F(Membership, IsRemovedOnlyOnceIfTheAnswerIsLost) {
  client_.Start(2, "cp2");
  client_.on_call = [&](const std::string& call) {
    if (call != "Remove 2") {
      return Refusal::kNone;
    }
    if (client_.members.size() == 1) {
      return Refusal::kMemberNotFound;
    }
    client_.members.pop_back();
    throw Error(Kind::kUnavailable, "it ended");
  };
  EXPECT_EQ(RemoveSelf(), Removal::kRemoved);
}

TEST_F(Membership, IsRemovedAfterTheMemberListWasRetried) {
  client_.Start(2, "cp2");
  client_.on_call = [&](const std::string&) {
    return time_.pauses.size() < 3 ? throw Error(Kind::kUnavailable, "no leader") : Refusal::kNone;
  };
  EXPECT_EQ(RemoveSelf(), Removal::kRemoved);
  EXPECT_EQ(time_.pauses.size(), 3U);
}

TEST_F(Membership, IsAddedAfterTheMemberListWasRetried) {
  client_.on_call = [&](const std::string&) {
    return time_.pauses.size() < 3 ? throw Error(Kind::kTimeout, "no answer") : Refusal::kNone;
  };
  EXPECT_EQ(Add().found, Found::kAdded);
  EXPECT_EQ(time_.pauses.size(), 3U);
}

TEST_F(Membership, IsNotRemovedWhenTheQuorumWouldBeLost) {
  client_.Start(2, "cp2");
  client_.Start(3, "cp3");
  client_.statuses.erase("https://cp3:2379");
  const Error error = Thrown([&] { RemoveSelf(); });
  EXPECT_EQ(error.kind(), Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("only 1 of 2 voting etcd members would be healthy"));
  EXPECT_THAT(error.message(), HasSubstr("etcd member cp3 (3) is not healthy"));
  EXPECT_EQ(client_.members.size(), 3U);
}

TEST_F(Membership, IsRemovedWhenTheOtherMembersAnswerAgain) {
  client_.Start(2, "cp2");
  client_.Start(3, "cp3");
  const MemberStatus healthy = client_.statuses.extract("https://cp3:2379").mapped();
  time_.on_pause = [&] {
    if (time_.pauses.size() == 3) {
      client_.statuses["https://cp3:2379"] = healthy;
    }
    return true;
  };
  EXPECT_EQ(RemoveSelf(), Removal::kRemoved);
  EXPECT_EQ(client_.members.size(), 2U);
}

TEST_F(Membership, IsKeptIfTheRemainingMembersWouldLackAMajority) {
  client_.Start(2, "cp2");
  client_.on_call = [](const std::string& call) {
    return call == "Remove 2" ? Refusal::kUnhealthy : Refusal::kNone;
  };
  const Error two = Thrown([&] { RemoveSelf(); });
  EXPECT_EQ(two.kind(), Kind::kConflict) << "of two members";
  EXPECT_THAT(two.message(), HasSubstr("only 1 of 2 voting etcd members would be healthy"));
  client_.Start(3, "cp3");
  EXPECT_EQ(Thrown([&] { RemoveSelf(); }).kind(), Kind::kTimeout) << "of three";
}

TEST_F(Membership, IsKeptIfNoMemberAnswersTheRemoval) {
  client_.Start(2, "cp2");
  client_.on_call = [&](const std::string& call) {
    if (call == "Members" && time_.pauses.empty()) {
      return Refusal::kNone;
    }
    if (call == "Remove 2") {
      return Refusal::kUnhealthy;
    }
    throw Error(Kind::kUnavailable, "gone");
  };
  const Error error = Thrown([&] { RemoveSelf(); });
  EXPECT_EQ(error.kind(), Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("it is unknown whether the other members are a majority"));
}

TEST_F(Membership, IsNotRemovedWhenTheMembersCannotBeListed) {
  client_.on_call = [](const std::string&) -> Refusal { throw Error(Kind::kUnavailable, "gone"); };
  EXPECT_EQ(Thrown([&] { RemoveSelf(); }).kind(), Kind::kUnavailable);
}

TEST_F(Membership, WaitsLongerForASilentMemberThanForAClosedPort) {
  struct Case {
    std::string name;
    std::string says;
    bool forced;
    milliseconds least, most;
  };
  constexpr milliseconds kLimit{120'000};
  for (const Case& c : std::initializer_list<Case>{
           {"silent", "does not answer in time", false, kLimit / 2, kLimit * 2 / 3},
           {"nothing listens", "connection refused", false, milliseconds(15'000),
            milliseconds(16'000)},
           {"nothing listens, and it goes all the same", "connection refused", true, kLimit / 2,
            kLimit * 2 / 3}}) {
    FakeTime time;
    FakeClient client;
    client.Start(1, "cp1");
    client.Start(2, "cp2");
    client.refusals["https://cp1:2379"] = c.says;
    const auto begin = time.now;
    const Removing removing{.peer_url = kSelf.peer_url, .forced = c.forced};
    const Error error = Thrown([&] { RemoveMember(client, removing, time.Wait(kLimit)); });
    EXPECT_EQ(error.kind(), Kind::kConflict) << c.name;
    EXPECT_GE(time.now - begin, c.least) << c.name;
    EXPECT_LE(time.now - begin, c.most) << c.name;
  }
}

TEST_F(Membership, IsKeptIfAnotherMemberFailsConcurrently) {
  client_.Start(2, "cp2");
  client_.Start(3, "cp3");
  client_.on_call = [&](const std::string& call) {
    if (call == "Remove 2") {
      client_.statuses.erase("https://cp3:2379");
      return Refusal::kUnhealthy;
    }
    return Refusal::kNone;
  };
  EXPECT_EQ(Thrown([&] { RemoveSelf(); }).kind(), Kind::kConflict);
  EXPECT_EQ(client_.members.size(), 3U);
}

TEST_F(Membership, ForgetsALostMemberOnlyIfItIsALearner) {
  const auto forget = [&] { return ForgetLost(client_, kSelf.peer_url, time_.Wait()); };
  EXPECT_FALSE(forget()) << "not there";
  client_.members.push_back({.id = 2, .peer_urls = {kSelf.peer_url}, .learner = true});
  EXPECT_FALSE(forget()) << "it never had data";
  client_.members.pop_back();
  client_.Start(2, "cp2", true);
  EXPECT_TRUE(forget());
  EXPECT_EQ(client_.members.size(), 1U);
  client_.Start(2, "cp2");
  const Error error = Thrown([&] { forget(); });
  EXPECT_EQ(error.kind(), Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("'kubeadm etcd remove 2'"));
  EXPECT_EQ(client_.members.size(), 2U);
}

TEST_F(Membership, UndoesTheAdditionOnlyOfALearnerOrAnUnstartedMember) {
  const auto undo = [&] { return UndoAdd(client_, kSelf.peer_url, time_.Wait()); };
  EXPECT_EQ(undo(), Undone::kAbsent);
  client_.Start(2, "cp2", true);
  EXPECT_EQ(undo(), Undone::kRemoved);
  client_.members.push_back({.id = 2, .peer_urls = {kSelf.peer_url}});
  EXPECT_EQ(undo(), Undone::kRemoved);
  client_.Start(2, "cp2");
  EXPECT_EQ(undo(), Undone::kVotes);
  EXPECT_EQ(client_.members.size(), 2U);
}

}  // namespace
}  // namespace etcd
