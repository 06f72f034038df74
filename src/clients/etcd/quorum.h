// SPDX-License-Identifier: Apache-2.0
// Allowed steps with a member of etcd, so that a majority of healthy voters always remains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "etcd/health.h"

namespace etcd {

// A step with a member.
enum class Step {
  kAdd,      // added as a learner: copies the data, does not vote
  kPromote,  // the learner votes from now on
  kRemove,   // removed from the cluster
  kRestart,  // does not serve for a moment, and returns with its data
  kLose,     // does not return and may still be a member: its data is emptied
};

// QuorumProblem returns why the step is not allowed, with the unhealthy members and the remedy.
// Returns std::nullopt if the step is allowed. Call it immediately before the step, with the
// members' current answers.
//
// Without a majority, steps are refused unless they cannot make things worse. An unhealthy member
// may restart, and may be removed as far as etcd allows it.
//
// A voter may restart if the other members keep the majority, or if all other voters are healthy.
// The second rule lets a member of a one-member or two-member cluster restart.
std::optional<std::string> QuorumProblem(const Health& health, Step step, std::uint64_t id);

}  // namespace etcd
