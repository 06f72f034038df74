// SPDX-License-Identifier: Apache-2.0
// Checks of this node's etcd member before its removal. Internal to this library.
#pragma once

#include <stop_token>

#include "reset/teardown.h"

namespace reset {

// Throws base::Error(kConflict) if etcd would lose its majority without this node's member, or
// if the effect is unknown while the member runs. A forced reset skips this check.
void RequireDispensableMember(Teardown& teardown, const std::stop_token& stop);

}  // namespace reset
