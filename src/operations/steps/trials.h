// SPDX-License-Identifier: Apache-2.0
// The operations that can be on trial on a node (engine/trial.h).
#pragma once

#include <array>

#include "engine/trial.h"
#include "host/files.h"

namespace steps {

// Returns the timers of operations that can be on trial: changes of the configuration, and of the
// node's address.
std::array<const engine::RollbackTimer*, 2> RollbackTimers();

// Throws base::Error(kConflict), with the commands that can follow, if one of the operations was
// interrupted or is on trial. The caller must hold the node's lock.
void RequireNoTrial(const host::Files& files);

}  // namespace steps
