// SPDX-License-Identifier: Apache-2.0
// The moment from which a new member answers its clients.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

// Restart is how a learner is started again; both are set, or neither.
struct Restart {
  // How many changes it has applied, by its own word; nothing while that is not known.
  std::function<std::optional<std::uint64_t>()> applied;
  std::function<void()> run;
};

// WaitUntilServing waits until the new member answers its clients.
//
// A member whose first contact with the leader brings a snapshot may miss in it that its own name
// has become known, and then waits for that, before it serves, until etcd's request times out (5 s
// and two elections). When it has applied all that made its name known and serves nobody, it is
// started again, once: it has its data by then, and a learner does not vote, so nobody misses it.
void WaitUntilServing(Client& client, std::uint64_t id, const Waiting& waiting,
                      const Restart& restart = {});

}  // namespace etcd
