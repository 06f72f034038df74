// SPDX-License-Identifier: Apache-2.0
// klog's flags.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace machine_approver {

// Returns -v, --vmodule, and klog's other flags, which existing Deployments pass. The other flags
// have no effect: logs always go to stderr. Each use of such a flag is logged, except for
// --logtostderr.
std::vector<cli::Flag> LogFlags();

}  // namespace machine_approver
