// SPDX-License-Identifier: Apache-2.0
// Waiting until a new member answers its clients.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

// The functions that restart a learner. Either both are set, or neither.
struct Restart {
  // Returns the index that the learner says it has applied; std::nullopt while it is unknown.
  std::function<std::optional<std::uint64_t>()> applied;
  std::function<void()> run;
};

// WaitUntilServing waits until the new member answers its clients.
//
// A new member publishes its name by a log entry. If the member first gets a snapshot from the
// leader, it may miss this entry. Then it serves only after etcd's request for the entry has timed
// out (5 s plus two elections). If the member has applied the entry and still does not serve, it is
// restarted once. The restart is safe: the member has its data by then, and a learner does not
// vote.
void WaitUntilServing(Client& client, std::uint64_t id, const Waiting& waiting,
                      const Restart& restart = {});

}  // namespace etcd
