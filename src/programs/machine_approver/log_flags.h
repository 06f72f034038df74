// SPDX-License-Identifier: Apache-2.0
// klog's flags.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace machine_approver {

// -v and --vmodule, and klog's other flags, which Deployments pass. Logs go to stderr, whatever
// these other flags say. A log line reports each use of such a flag, except of --logtostderr.
std::vector<cli::Flag> LogFlags();

}  // namespace machine_approver
