// SPDX-License-Identifier: Apache-2.0
#include "etcd/comeback.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/duration.h"
#include "etcd/answers.h"

namespace etcd {
namespace {

// The longest silence that a restart explains. The kubelet restarts an ended etcd container
// immediately, and after a second end 10 s later. If no process listens for longer, etcd is not
// being restarted.
constexpr milliseconds kSilence{15'000};

// Returns whether no process listens at any unhealthy member, not counting the member `id`.
bool NothingListensElsewhere(const Health& health, std::uint64_t id) {
  return std::ranges::all_of(health.members, [&](const MemberHealth& each) {
    return each.healthy() || each.member.id == id || NothingListens(*each.problem);
  });
}

}  // namespace

bool Comeback::IsPossible(const Health& health, std::uint64_t id) {
  const auto now = waiting_.now();
  if (patient_ || !NothingListensElsewhere(health, id)) {
    last_word_ = now;
  }
  return now - begin_ < waiting_.limit / 2 && now - last_word_ < kSilence;
}

std::optional<std::string> LastingProblem(const Asked& asked, const Waiting& waiting,
                                          const base::ShowLine& say) {
  Comeback comeback(waiting);
  std::optional<std::string> problem;
  const auto attempt = [&]() -> std::optional<std::string> {
    const Health health = asked.health();
    const MemberHealth* member = asked.member(health);
    const std::uint64_t id = member == nullptr ? 0 : member->member.id;
    // A brief silence of a member does not withdraw an earlier refusal.
    if (!problem || (member != nullptr && member->healthy())) {
      problem = QuorumProblem(health, asked.step, id);
    }
    return problem && comeback.IsPossible(health, id) ? problem : std::nullopt;
  };
  const auto tell = [&](const std::string& reason) {
    if (say) {
      const milliseconds limit = reason == problem ? waiting.limit / 2 : waiting.limit;
      say(fmt::format("Waiting for etcd's members, for {} at most: {}", base::FormatDuration(limit),
                      reason));
    }
  };
  WaitFor("etcd is not ready for this", waiting, attempt, tell);
  return problem;
}

}  // namespace etcd
