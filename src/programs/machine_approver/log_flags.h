// SPDX-License-Identifier: Apache-2.0
// klog's flags.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace machine_approver {

// -v and --vmodule, and klog's others, which Deployments pass. Logs go to stderr, whatever the
// others say, and each use except that of --logtostderr logs that.
std::vector<cli::Flag> LogFlags();

}  // namespace machine_approver
