// SPDX-License-Identifier: Apache-2.0
// cluster-machine-approver's commands.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace machine_approver {

// Runs the program and returns the exit status. 0: success. 1: `judge` or `explain` failed. 2: the
// command line is wrong; prints the usage. 255: the controller cannot start or has lost its Lease
// (reference: approver.md §12). `terminal` guards the streams, and applies --color to them. If
// `terminal` is null, --color has no effect.
int Main(host::Host& host, std::span<const std::string> words, cli::Streams& streams,
         cli::Terminal* terminal = nullptr);

// Returns the tree of commands.
cli::Command Root(host::Host& host, cli::Terminal* terminal = nullptr);

}  // namespace machine_approver
