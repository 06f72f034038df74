// SPDX-License-Identifier: Apache-2.0
#include "etcd/quorum.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace etcd {
namespace {

const MemberHealth* Find(const Health& health, std::uint64_t id) {
  const auto found = std::ranges::find_if(
      health.members, [&](const MemberHealth& each) { return each.member.id == id; });
  return found == health.members.end() ? nullptr : &*found;
}

Health Without(const Health& health, std::uint64_t id) {
  Health left = health;
  std::erase_if(left.members, [&](const MemberHealth& each) { return each.member.id == id; });
  return left;
}

std::string WhoIsNot(const Health& health) { return Explain(health).value_or(""); }

std::optional<std::string> PromotionProblem(const Health& health, const MemberHealth& learner) {
  Health after = health;
  for (MemberHealth& each : after.members) {
    each.member.learner = each.member.learner && each.member.id != learner.member.id;
  }
  if (after.HasQuorum()) {
    return std::nullopt;
  }
  return fmt::format(
      "only {} of {} voting etcd members would be healthy, which is not a majority:\n{}",
      after.HealthyVoters(), after.Voters(), WhoIsNot(health));
}

std::optional<std::string> RemovalProblem(const Health& health, const MemberHealth& member) {
  const Health left = Without(health, member.member.id);
  if (left.HasQuorum()) {
    return std::nullopt;
  }
  if (left.Voters() == 0) {
    return "it is the only etcd member that votes, the others are learners: wait until they are "
           "promoted, or remove them first";
  }
  return fmt::format(
      "without it only {} of {} voting etcd members would be healthy, which is not a "
      "majority:\n{}",
      left.HealthyVoters(), left.Voters(), WhoIsNot(health));
}

std::optional<std::string> RestartProblem(const Health& health, const MemberHealth& member) {
  const Health others = Without(health, member.member.id);
  const std::size_t healthy = others.HealthyVoters();
  if (!member.healthy() || healthy == others.Voters() || healthy > health.Voters() / 2) {
    return std::nullopt;
  }
  return fmt::format("etcd would lose its majority while member {} restarts:\n{}",
                     NameOf(member.member), WhoIsNot(health));
}

// Returns why the member must not be lost. The only member of a cluster may be lost, because the
// cluster ends with it.
std::optional<std::string> LossProblem(const Health& health, const MemberHealth& member) {
  const std::size_t healthy = Without(health, member.member.id).HealthyVoters();
  if (health.members.size() == 1 || healthy > health.Voters() / 2) {
    return std::nullopt;
  }
  return fmt::format(
      "while it is a member, only {} of {} voting etcd members would be healthy without it, which "
      "is not a majority{}{}",
      healthy, health.Voters(), Explain(health) ? ":\n" : "", WhoIsNot(health));
}

}  // namespace

std::optional<std::string> QuorumProblem(const Health& health, Step step, std::uint64_t id) {
  const MemberHealth* member = Find(health, id);
  const bool votes = member != nullptr && !member->member.learner;
  switch (step) {
    case Step::kAdd:
      return std::nullopt;
    case Step::kPromote:
      return member == nullptr || votes ? std::nullopt : PromotionProblem(health, *member);
    case Step::kRemove:
      return votes ? RemovalProblem(health, *member) : std::nullopt;
    case Step::kRestart:
      return votes ? RestartProblem(health, *member) : std::nullopt;
    case Step::kLose:
      return votes ? LossProblem(health, *member) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace etcd
