// SPDX-License-Identifier: Apache-2.0
// klog's flags.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace machine_approver {

// LogFlags are -v and --vmodule, and klog's others, which Deployments pass: logs go to stderr,
// whatever those say, and each use but that of --logtostderr says so.
std::vector<cli::Flag> LogFlags();

}  // namespace machine_approver
