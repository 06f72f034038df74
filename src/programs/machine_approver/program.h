// SPDX-License-Identifier: Apache-2.0
// cluster-machine-approver's commands.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace machine_approver {

// Runs the program. Returns 0; 1 if `judge` or `explain` fails; 2 for a wrong command line, with
// the usage; 255 if the controller cannot start or has lost its Lease (reference: approver.md §12).
// `terminal` protects the streams, for --color; null: none does.
int Main(host::Host& host, std::span<const std::string> words, cli::Streams& streams,
         cli::Terminal* terminal = nullptr);

// Returns the tree of commands.
cli::Command Root(host::Host& host, cli::Terminal* terminal = nullptr);

}  // namespace machine_approver
