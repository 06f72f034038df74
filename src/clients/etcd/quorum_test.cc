// SPDX-License-Identifier: Apache-2.0
#include "etcd/quorum.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace etcd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

// The possible states of a member.
enum class Kind { kHealthy, kDead, kUnstarted, kLearner, kDeadLearner };
constexpr std::array kKinds = {Kind::kHealthy, Kind::kDead, Kind::kUnstarted, Kind::kLearner,
                               Kind::kDeadLearner};
constexpr std::array kSteps = {Step::kAdd, Step::kPromote, Step::kRemove, Step::kRestart,
                               Step::kLose};

MemberHealth MakeMember(std::uint64_t id, Kind kind) {
  MemberHealth made{.member = {.id = id, .name = fmt::format("cp{}", id)}};
  made.member.learner = kind == Kind::kLearner || kind == Kind::kDeadLearner;
  if (kind == Kind::kUnstarted) {
    made.member.name.clear();
    made.member.peer_urls = {fmt::format("https://cp{}:2380", id)};
  }
  if (kind == Kind::kHealthy || kind == Kind::kLearner) {
    made.status = MemberStatus{.member_id = id, .leader_id = 1};
  } else {
    made.problem = "it is away";
  }
  return made;
}

Health MakeCluster(const std::vector<Kind>& kinds) {
  Health health;
  for (const Kind kind : kinds) {
    health.members.push_back(MakeMember(health.members.size() + 1, kind));
  }
  return health;
}

// Returns the cluster as it is after the step. A member that restarts or is lost does not answer.
Health After(Health health, Step step, std::uint64_t id) {
  for (MemberHealth& each : health.members) {
    if (each.member.id != id) {
      continue;
    }
    each.member.learner = each.member.learner && step != Step::kPromote;
    if (step == Step::kLose || step == Step::kRestart) {
      each.problem = "it ended";
      each.status.reset();
    }
  }
  if (step == Step::kRemove) {
    std::erase_if(health.members, [&](const MemberHealth& each) { return each.member.id == id; });
  }
  if (step == Step::kAdd) {
    health.members.push_back(MakeMember(99, Kind::kDeadLearner));
  }
  return health;
}

// Calls the function with every cluster of one to five members.
void ForEachCluster(const std::function<void(const std::vector<Kind>&)>& call) {
  std::vector<Kind> kinds;
  const std::function<void()> extend = [&] {
    if (!kinds.empty()) {
      call(kinds);
    }
    if (kinds.size() == 5) {
      return;
    }
    for (const Kind kind : kKinds) {
      kinds.push_back(kind);
      extend();
      kinds.pop_back();
    }
  };
  extend();
}

std::string Describe(const std::vector<Kind>& kinds, Step step, std::uint64_t id) {
  std::string text = fmt::format("step {} with member {} of", static_cast<int>(step), id);
  for (const Kind kind : kinds) {
    text += fmt::format(" {}", static_cast<int>(kind));
  }
  return text;
}

// Returns whether all other voters are healthy. Then a member may restart: otherwise a member of a
// cluster of one or two could never restart.
bool OthersAreHealthy(const Health& health, std::uint64_t id) {
  return std::ranges::all_of(health.members, [&](const MemberHealth& each) {
    return each.member.id == id || each.member.learner || each.healthy();
  });
}

TEST(QuorumProblem, RefusesEveryStepThatLosesTheMajority) {
  ForEachCluster([](const std::vector<Kind>& kinds) {
    const Health before = MakeCluster(kinds);
    if (!before.HasQuorum()) {
      return;
    }
    for (const Step step : kSteps) {
      for (const MemberHealth& each : before.members) {
        const std::uint64_t id = each.member.id;
        if (QuorumProblem(before, step, id)) {
          continue;
        }
        const bool comes_back = step == Step::kRestart && OthersAreHealthy(before, id);
        const bool was_the_cluster = step == Step::kLose && kinds.size() == 1;
        ASSERT_TRUE(After(before, step, id).HasQuorum() || comes_back || was_the_cluster)
            << Describe(kinds, step, id);
      }
    }
  });
}

TEST(QuorumProblem, AllowsStepsThatKeepTheMajority) {
  ForEachCluster([](const std::vector<Kind>& kinds) {
    const Health before = MakeCluster(kinds);
    for (const Step step : kSteps) {
      for (const MemberHealth& each : before.members) {
        if (After(before, step, each.member.id).HasQuorum()) {
          ASSERT_EQ(QuorumProblem(before, step, each.member.id), std::nullopt)
              << Describe(kinds, step, each.member.id);
        }
      }
    }
  });
}

TEST(QuorumProblem, DoesNotRemoveAHealthyVoterWithoutAMajority) {
  ForEachCluster([](const std::vector<Kind>& kinds) {
    const Health before = MakeCluster(kinds);
    if (before.HasQuorum() || kinds.size() == 1) {
      return;
    }
    for (const MemberHealth& each : before.members) {
      if (each.healthy() && !each.member.learner) {
        const std::uint64_t id = each.member.id;
        ASSERT_NE(QuorumProblem(before, Step::kLose, id), std::nullopt)
            << Describe(kinds, Step::kLose, id);
      }
    }
  });
}

TEST(QuorumProblem, NamesTheMissingMembers) {
  const Health health = MakeCluster({Kind::kHealthy, Kind::kHealthy, Kind::kDead});
  EXPECT_THAT(QuorumProblem(health, Step::kRestart, 1),
              Optional(AllOf(HasSubstr("while member cp1 restarts"), HasSubstr("member cp3"))));
  EXPECT_THAT(QuorumProblem(health, Step::kRemove, 1),
              Optional(AllOf(HasSubstr("only 1 of 2 voting"), HasSubstr("member cp3"))));
  EXPECT_THAT(QuorumProblem(health, Step::kLose, 1), Optional(HasSubstr("only 1 of 3 voting")));
  EXPECT_EQ(QuorumProblem(health, Step::kRemove, 3), std::nullopt) << "a dead member may go";
  EXPECT_EQ(QuorumProblem(health, Step::kRestart, 3), std::nullopt) << "it does not serve anyway";
  EXPECT_THAT(QuorumProblem(MakeCluster({Kind::kHealthy, Kind::kLearner}), Step::kRemove, 1),
              Optional(HasSubstr("the only etcd member that votes")));
  EXPECT_THAT(QuorumProblem(MakeCluster({Kind::kHealthy, Kind::kDeadLearner}), Step::kPromote, 2),
              Optional(HasSubstr("only 1 of 2 voting")));
  EXPECT_EQ(QuorumProblem(health, Step::kRemove, 77), std::nullopt) << "it is not a member";
}

}  // namespace
}  // namespace etcd
