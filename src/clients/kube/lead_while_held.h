// SPDX-License-Identifier: Apache-2.0
// Work that only the holder of a Lease does.
#pragma once

#include <functional>
#include <stop_token>

#include "kube/leader_election.h"

namespace kube {

// Calls `lead` in a separate thread, and renews the acquired Lease in this thread. A stop request,
// or the loss of the Lease, requests a stop from `lead`. Returns when `lead` returns. Returns true
// if the Lease was held until then and has been released; returns false if the Lease was lost. If
// `lead` throws, releases the Lease and rethrows.
bool LeadWhileHeld(LeaderElector& elector,
                   const std::function<void(const std::stop_token& stop)>& lead,
                   const std::stop_token& stop);

}  // namespace kube
