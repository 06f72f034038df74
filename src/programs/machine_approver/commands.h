// SPDX-License-Identifier: Apache-2.0
// The commands of cluster-machine-approver. `host` must outlive them.
#pragma once

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace machine_approver {

// The program without a command: the controller as a process, with kubeconfigs, signals, metrics
// and leader election. Runs until SIGTERM or SIGINT. Throws base::Error of any kind if it cannot
// start, kOther if it has lost its Lease.
void RunController(host::Host& host, const cli::Parsed& flags);

// `explain CSR`. `terminal` protects the streams, for --color; null: none does.
cli::Command ExplainCommand(host::Host& host, cli::Terminal* terminal);
// `judge --input FILE|-`.
cli::Command JudgeCommand(host::Host& host);
cli::Command VersionCommand();

}  // namespace machine_approver
