// SPDX-License-Identifier: Apache-2.0
// Members of etcd that are not well, but may be again: who forbids a step now need not for long.
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

// Comeback judges for how long they are waited for: half of the wait, since packets get lost, disks
// are slow and an election takes its time; 15 s where nothing listens at any of them.
class Comeback {
 public:
  // `even_where_nothing_listens`: those are waited for as long.
  explicit Comeback(const Waiting& waiting, bool even_where_nothing_listens = false)
      : waiting_(waiting),
        patient_(even_where_nothing_listens),
        begin_(waiting.now()),
        last_word_(begin_) {}

  // IsPossible takes what the members say now; the one of that id is not waited for.
  bool IsPossible(const Health& health, std::uint64_t id);

 private:
  const Waiting& waiting_;
  bool patient_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_word_;  // of whoever may come back
};

// Asked is a step, and with whom.
struct Asked {
  Step step;
  std::function<Health()> health;  // asks the members
  // Whose step it is; null: nobody's, and nothing forbids it.
  std::function<const MemberHealth*(const Health& health)> member;
};

// LastingProblem is what QuorumProblem says once all had the time to come back that Comeback gives
// them; nothing as soon as the step may be taken. Once forbidden, it stays so while the member
// itself is not well or does not answer: another moment would find it back, and needed. `say` (may
// be empty) gets a line for each thing that is waited for. Throws what WaitFor throws, where
// `health` throws as a Try does.
std::optional<std::string> LastingProblem(const Asked& asked, const Waiting& waiting,
                                          const base::ShowLine& say = {});

}  // namespace etcd
