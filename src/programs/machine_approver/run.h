// SPDX-License-Identifier: Apache-2.0
// The controller as a process: kubeconfigs, signals, metrics, leader election.
#pragma once

#include "cli/flags.h"
#include "host/host.h"

namespace machine_approver {

// Runs until SIGTERM or SIGINT. Throws base::Error of any kind if it cannot start, kOther if it has
// lost its Lease.
void RunController(host::Host& host, const cli::Parsed& flags);

}  // namespace machine_approver
