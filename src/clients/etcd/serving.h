// SPDX-License-Identifier: Apache-2.0
// The moment from which a new member answers its clients.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

// How to restart a learner; both are set, or neither.
struct Restart {
  // Returns the index that it has applied, according to itself; std::nullopt while that is unknown.
  std::function<std::optional<std::uint64_t>()> applied;
  std::function<void()> run;
};

// WaitUntilServing waits until the new member answers its clients.
//
// A member whose first contact with the leader brings a snapshot may miss the entry that publishes
// its own name. It then waits for that entry before it serves, until etcd's own request times out
// (5 s plus two elections). If it has applied that entry and still does not serve, it is restarted
// once: it has its data by then, and a learner does not vote, so the cluster does not miss it.
void WaitUntilServing(Client& client, std::uint64_t id, const Waiting& waiting,
                      const Restart& restart = {});

}  // namespace etcd
