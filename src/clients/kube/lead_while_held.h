// SPDX-License-Identifier: Apache-2.0
// Work that only the holder of a Lease does.
#pragma once

#include <functional>
#include <stop_token>

#include "kube/leader_election.h"

namespace kube {

// Calls `lead` in a thread of its own while the acquired Lease is renewed in this one. The stop
// token of `lead` is stopped by a stop request, and by the loss of the Lease. Returns when `lead`
// returns: true if the Lease was held until then, and has been released; false if the Lease was
// lost. If `lead` throws, releases the Lease and rethrows.
bool LeadWhileHeld(LeaderElector& elector,
                   const std::function<void(const std::stop_token& stop)>& lead,
                   const std::stop_token& stop);

}  // namespace kube
