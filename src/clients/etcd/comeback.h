// SPDX-License-Identifier: Apache-2.0
// Unhealthy etcd members that may recover: a step that they block now may be allowed shortly.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/show_line.h"
#include "etcd/health.h"
#include "etcd/quorum.h"
#include "etcd/waiting.h"

namespace etcd {

// Decides how long to wait for unhealthy members to recover. The limit is half of Waiting::limit,
// because packets get lost, disks are slow and elections take time. If no process listens at any
// unhealthy member, the limit is 15 s.
class Comeback {
 public:
  // If `even_where_nothing_listens` is set, the limit of 15 s does not apply.
  explicit Comeback(const Waiting& waiting, bool even_where_nothing_listens = false)
      : waiting_(waiting),
        patient_(even_where_nothing_listens),
        begin_(waiting.now()),
        last_word_(begin_) {}

  // Returns whether an unhealthy member may still recover in time. `health` has the members'
  // current answers. Ignores the member `id`.
  bool IsPossible(const Health& health, std::uint64_t id);

 private:
  const Waiting& waiting_;
  bool patient_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_word_;  // the last time at which a process listened
};

// A step and its member.
struct Asked {
  Step step;
  std::function<Health()> health;  // queries the members
  // The member of the step; nullptr means that it does not exist, so that the step is allowed.
  std::function<const MemberHealth*(const Health& health)> member;
};

// Waits until the step is allowed, and returns std::nullopt. If the members do not recover in the
// time of Comeback, returns the result of QuorumProblem. An earlier refusal remains valid while the
// step's own member is unhealthy or silent, because the cluster may need this member after its
// recovery. `say` (may be empty) gets a line for each reason to wait. Throws the errors of WaitFor.
// An exception of `health` has the same effect as an exception of a Try.
std::optional<std::string> LastingProblem(const Asked& asked, const Waiting& waiting,
                                          const base::ShowLine& say = {});

}  // namespace etcd
