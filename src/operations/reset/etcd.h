// SPDX-License-Identifier: Apache-2.0
// This node's etcd member, before it goes. For the inside of this room.
#pragma once

#include <stop_token>

#include "reset/teardown.h"

namespace reset {

// RequireDispensableMember throws base::Error(kConflict) where etcd would lose its majority with
// this node's member, or that cannot be known though it runs; not where the reset is forced.
void RequireDispensableMember(Teardown& teardown, const std::stop_token& stop);

}  // namespace reset
