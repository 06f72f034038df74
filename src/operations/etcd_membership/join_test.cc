// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <stdexcept>

#include "base/error.h"
#include "cri/fake_runtime.h"
#include "etcd/fake_client.h"
#include "host/fake_host.h"

namespace etcd_membership {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kPeerUrl = "https://10.0.0.3:2380";
constexpr const char* kData = "/var/lib/etcd";
constexpr const char* kManifest = "/etc/kubernetes/manifests/etcd.yaml";

class JoinTest : public ::testing::Test {
 protected:
  JoinTest() { client_.Start(1, "one"); }

  // Joins; `start` simulates the new member's process.
  void Begin(const std::function<void(const etcd::Joined&)>& start) { Begin(client_, start); }
  void Begin(etcd::Client& client, const std::function<void(const etcd::Joined&)>& start) {
    const auto write = [&](const etcd::Joined& joined) {
      host_.files.Write(kManifest, "pod", {});
      start(joined);
    };
    Join(client,
         {.member = {.name = "three", .peer_url = kPeerUrl},
          .waiting = time_.Wait(),
          .undoing = {.client = client_, .waiting = time_.Wait()},
          .replace_dead = replace_dead_},
         {.host = host_.host, .runtime = runtime_, .since = {}, .data_dir = kData},
         {.start = write,
          .progress = [&](std::optional<std::string_view> text) { progress_.emplace_back(text); }});
  }

  host::FakeHost host_;
  etcd::FakeClient client_;
  etcd::FakeTime time_;
  bool replace_dead_ = false;
  std::vector<std::optional<std::string>> progress_;
  cri::FakeRuntime runtime_;
};

TEST_F(JoinTest, AMemberThatStartsAndCatchesUpVotes) {
  Begin([&](const etcd::Joined& joined) {
    EXPECT_NE(joined.initial_cluster.find("three=" + std::string(kPeerUrl)), std::string::npos);
    std::erase_if(client_.members, [&](const auto& member) { return member.id == joined.id; });
    client_.Start(joined.id, "three", true);
  });
  EXPECT_EQ(client_.members.size(), 2U);
  EXPECT_FALSE(client_.members.back().learner);
  EXPECT_TRUE(host_.files.Exists(kManifest));
  EXPECT_THAT(progress_, Contains("waiting for this node's etcd to start"));
  EXPECT_EQ(progress_.back(), std::nullopt);
}

TEST_F(JoinTest, ReplacesALearnerOfAnEarlierJoinOnlyIfItsDataAreGone) {
  for (const bool gone : {true, false}) {
    client_.members.resize(1);
    client_.Start(7, "three", true).peer_urls = {kPeerUrl};
    host_.files.MakeDirectories(gone ? "/var/lib/etcd/lost+found" : "/var/lib/etcd/member", 0700);
    Begin([&](const etcd::Joined& joined) {
      EXPECT_EQ(joined.found, gone ? etcd::Found::kAdded : etcd::Found::kLearner);
      std::erase_if(client_.members, [&](const auto& member) { return member.id == joined.id; });
      client_.Start(joined.id, "three", true);
    });
    EXPECT_EQ(client_.members.size(), 2U);
  }
}

TEST_F(JoinTest, RefusesAVoterOfAnEarlierJoinWhoseDataAreGone) {
  client_.Start(7, "three").peer_urls = {kPeerUrl};
  EXPECT_THROW(Begin([](const etcd::Joined&) { ADD_FAILURE() << "it was started"; }), base::Error);
  EXPECT_EQ(client_.members.size(), 2U);
}

TEST_F(JoinTest, ReplacesADeadVoterOnRequest) {
  replace_dead_ = true;
  client_.Start(2, "two");
  client_.Start(7, "three").peer_urls = {kPeerUrl};
  client_.refusals["https://three:2379"] = "connection refused";
  Begin([&](const etcd::Joined& joined) {
    EXPECT_EQ(joined.found, etcd::Found::kAdded);
    std::erase_if(client_.members, [&](const auto& member) { return member.id == joined.id; });
    client_.refusals.clear();
    client_.Start(joined.id, "three", true);
  });
  EXPECT_THAT(client_.calls(), Contains("Remove 7"));
  EXPECT_EQ(client_.members.size(), 3U);
}

TEST_F(JoinTest, ReplacesNoVoterThatAnswersOrWhoseDataAreHere) {
  replace_dead_ = true;
  client_.Start(2, "two");
  client_.Start(7, "three").peer_urls = {"https://10.0.0.9:2380"};
  EXPECT_THROW(Begin([](const etcd::Joined&) { ADD_FAILURE() << "it was started"; }), base::Error);
  client_.refusals["https://three:2379"] = "connection refused";
  host_.files.MakeDirectories("/var/lib/etcd/member", 0700);
  EXPECT_THROW(Begin([](const etcd::Joined&) { ADD_FAILURE() << "it was started"; }), base::Error);
  EXPECT_THAT(client_.calls(), Not(Contains("Remove 7")));
}

TEST_F(JoinTest, RemovesAMemberThatNeverStarts) {
  EXPECT_THROW(Begin([](const etcd::Joined&) {}), base::Error);
  EXPECT_EQ(client_.members.size(), 1U);
  EXPECT_FALSE(host_.files.Exists(kManifest));
}

TEST_F(JoinTest, RemovesTheDataOfARemovedMember) {
  host_.files.MakeDirectories("/var/lib/etcd/lost+found", 0700);
  EXPECT_THROW(Begin([&](const etcd::Joined&) {
                 host_.files.Write("/var/lib/etcd/member/wal/0.wal", "x", {});
               }),
               base::Error);
  EXPECT_THAT(host_.files.List(kData), ElementsAre("lost+found"));
}

TEST_F(JoinTest, RemovesDataOnASeparateDisk) {
  host_.files.MakeDirectories(kData, 0700);
  const std::string disk = host_.files.Location(kData).string();
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  EXPECT_THROW(Begin([&](const etcd::Joined&) {
                 host_.files.Write("/var/lib/etcd/member/wal/0.wal", "x", {});
               }),
               base::Error);
  EXPECT_THAT(host_.files.List(kData), IsEmpty());
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(JoinTest, KeepsDataFromBeforeTheJoin) {
  host_.files.MakeDirectories("/var/lib/etcd/member", 0700);
  host_.files.Write("/var/lib/etcd/member/db", "somebody's", {});
  EXPECT_THROW(Begin([](const etcd::Joined&) {}), base::Error);
  EXPECT_EQ(client_.members.size(), 1U);
  EXPECT_TRUE(host_.files.Exists("/var/lib/etcd/member/db"));
}

TEST_F(JoinTest, KeepsDataWhileTheirProcessRuns) {
  host_.files.MakeDirectories(kData, 0700);
  runtime_.containers = {
      {.id = "1", .sandbox_id = "2", .name = "etcd", .state = cri::Container::State::kRunning}};
  EXPECT_THROW(Begin([&](const etcd::Joined&) {
                 host_.files.Write("/var/lib/etcd/member/wal/0.wal", "x", {});
               }),
               base::Error);
  EXPECT_TRUE(host_.files.Exists("/var/lib/etcd/member/wal/0.wal"));
  EXPECT_FALSE(host_.files.Exists(kManifest));
}

TEST_F(JoinTest, KeepsAVotingMember) {
  // The answer to the promotion is lost, and the connection fails for the rest of the join.
  bool promoted = false;
  client_.on_call = [&](const std::string& call) {
    if (call.starts_with("Promote ")) {
      client_.members.back().learner = false;
      promoted = true;
      throw base::Error(base::Error::Kind::kForbidden, "the answer was lost");
    }
    return etcd::Refusal::kNone;
  };
  EXPECT_THROW(Begin([&](const etcd::Joined& joined) {
                 std::erase_if(client_.members,
                               [&](const auto& member) { return member.id == joined.id; });
                 client_.Start(joined.id, "three", true).peer_urls = {kPeerUrl};
                 host_.files.Write("/var/lib/etcd/member/wal/0.wal", "x", {});
               }),
               base::Error);
  EXPECT_TRUE(promoted);
  EXPECT_EQ(client_.members.size(), 2U);
  EXPECT_TRUE(host_.files.Exists(kManifest));
  EXPECT_TRUE(host_.files.Exists("/var/lib/etcd/member/wal/0.wal"));
}

TEST_F(JoinTest, KeepsAMemberOfUnknownState) {
  host_.files.MakeDirectories(kData, 0700);
  EXPECT_THROW(Begin([&](const etcd::Joined&) {
                 client_.on_call = [](const std::string&) -> etcd::Refusal {
                   throw base::Error(base::Error::Kind::kUnavailable, "nobody answers");
                 };
               }),
               base::Error);
  EXPECT_TRUE(host_.files.Exists(kManifest));
}

TEST_F(JoinTest, RollsBackIfTheManifestCannotBeWritten) {
  EXPECT_THROW(Begin([](const etcd::Joined&) { throw base::Error("disk full"); }), base::Error);
  EXPECT_EQ(client_.members.size(), 1U);
  EXPECT_THAT(client_.calls(), Contains(StartsWith("Remove ")));
}

TEST_F(JoinTest, RollsBackAfterAnyException) {
  EXPECT_THROW(Begin([](const etcd::Joined&) { throw std::length_error("too long"); }),
               std::length_error);
  EXPECT_EQ(client_.members.size(), 1U);
  EXPECT_THAT(client_.calls(), Contains(StartsWith("Remove ")));
}

// A client of the same cluster. The user's interrupt ends its calls.
class InterruptedClient : public etcd::FakeClient {
 public:
  explicit InterruptedClient(etcd::FakeClient& cluster) : cluster_(cluster) {}
  std::vector<etcd::Member> Members(etcd::Reach reach) override {
    if (interrupted) {
      throw base::Interrupted("interrupted while waiting for etcd");
    }
    return cluster_.Members(reach);
  }
  etcd::Refusal AddLearner(const std::string& peer_url) override {
    interrupted = interrupts_adding;
    return cluster_.AddLearner(peer_url);
  }
  bool interrupted = false;
  bool interrupts_adding = false;

 private:
  etcd::FakeClient& cluster_;
};

TEST_F(JoinTest, RollsTheMembershipBackAfterAnInterrupt) {
  InterruptedClient client(client_);
  EXPECT_THROW(Begin(client, [&](const etcd::Joined&) { client.interrupted = true; }),
               base::Interrupted);
  EXPECT_EQ(client_.members.size(), 1U);
  EXPECT_FALSE(host_.files.Exists(kManifest));
}

TEST_F(JoinTest, RollsBackAfterAnInterruptRightAfterTheMemberWasAdded) {
  InterruptedClient client(client_);
  client.interrupts_adding = true;
  EXPECT_THROW(Begin(client, [](const etcd::Joined&) { ADD_FAILURE() << "it was started"; }),
               base::Interrupted);
  EXPECT_EQ(client_.members.size(), 1U);
  EXPECT_THAT(client_.calls(), Contains(StartsWith("Remove ")));
}

TEST_F(JoinTest, DoesNotRemoveAMemberThatWasNeverAdded) {
  // The existing member has the same name but another peer URL, so the join fails.
  client_.Start(2, "three");
  EXPECT_THROW(Begin([](const etcd::Joined&) {}), base::Error);
  EXPECT_THAT(client_.calls(), Not(Contains(StartsWith("Remove "))));
}

}  // namespace
}  // namespace etcd_membership
