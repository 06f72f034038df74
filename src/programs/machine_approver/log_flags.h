// SPDX-License-Identifier: Apache-2.0
// klog's flags.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace machine_approver {

// Returns -v, --vmodule, and flags that existing Deployments pass and that have no effect: klog's
// other flags, because logs always go to stderr, and --kubeconfig. Each use of such a flag is
// logged, except for --logtostderr.
std::vector<cli::Flag> LogFlags();

}  // namespace machine_approver
