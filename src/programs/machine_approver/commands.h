// SPDX-License-Identifier: Apache-2.0
// The commands of cluster-machine-approver. `host` must outlive them.
#pragma once

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace machine_approver {

// Runs the program without a command: the controller, with kubeconfigs, signals, metrics and leader
// election. Runs until SIGTERM or SIGINT. Throws base::Error of any kind if the controller cannot
// start, kOther if it has lost its Lease.
void RunController(host::Host& host, const cli::Parsed& flags);

// Returns the command `explain CSR`. `terminal` guards the streams, and applies --color to them. If
// `terminal` is null, --color has no effect.
cli::Command ExplainCommand(host::Host& host, cli::Terminal* terminal);
// Returns the command `judge --input FILE|-`.
cli::Command JudgeCommand(host::Host& host);
cli::Command VersionCommand();

}  // namespace machine_approver
