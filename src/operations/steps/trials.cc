// SPDX-License-Identifier: Apache-2.0
#include "steps/trials.h"

#include "config_change/journal.h"
#include "node_identity/readdress/journal.h"

namespace steps {

std::array<const engine::RollbackTimer*, 2> RollbackTimers() {
  return {&config_change::Timer(), &readdress::Timer()};
}

void RequireNoTrial(const host::Files& files) {
  for (const engine::RollbackTimer* timer : RollbackTimers()) {
    engine::RequireSettled(*timer, files);
  }
}

}  // namespace steps
