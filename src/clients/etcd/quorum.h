// SPDX-License-Identifier: Apache-2.0
// What may be done with a member of etcd, so that a majority of healthy voters is left at every
// moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "etcd/health.h"

namespace etcd {

// Step is what is about to be done with a member.
enum class Step {
  kAdd,      // it becomes known, as a learner: copies the data, does not vote
  kPromote,  // the learner votes from now on
  kRemove,   // it is taken out of the cluster
  kRestart,  // it does not serve for a moment, and comes back with its data
  kLose,     // it does not come back and may still be a member: its data is emptied
};

// QuorumProblem is why the step must not be taken, with who is not healthy and what to do; nothing
// when it may. Whoever takes a step asks here at that very moment, with what the members say then.
//
// What etcd has no majority for is refused before, too, but where it cannot make things worse: a
// member that is not healthy may restart, and may be removed as far as etcd still does that. A
// voter may restart where the majority holds without it, and where all others are healthy, since
// one member alone, or one of two, could never restart otherwise.
std::optional<std::string> QuorumProblem(const Health& health, Step step, std::uint64_t id);

}  // namespace etcd
