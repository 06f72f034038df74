// SPDX-License-Identifier: Apache-2.0
// Rules for steps that change an etcd member: a majority of healthy voters must always remain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "etcd/health.h"

namespace etcd {

// A step that changes one member.
enum class Step {
  // A new member is added as a learner, which copies the data and does not vote.
  kAdd,
  // A learner becomes a voter.
  kPromote,
  // A member is removed from the cluster.
  kRemove,
  // A member does not serve for a moment, and returns with its data.
  kRestart,
  // A member does not return, because its data is deleted, but it may remain in the member list.
  kLose,
};

// QuorumProblem returns why the step is not allowed, with the unhealthy members and the remedy.
// Returns std::nullopt if the step is allowed. Call it immediately before the step, with the
// members' current answers.
//
// Adding a learner is always allowed, because a learner does not vote. A voter may be removed if
// more than half of the remaining voters are healthy. This can restore a lost majority.
//
// A voter may restart if it is unhealthy, if the other members keep the majority, or if all other
// voters are healthy. The last rule lets a member of a one-member or two-member cluster restart.
std::optional<std::string> QuorumProblem(const Health& health, Step step, std::uint64_t id);

}  // namespace etcd
