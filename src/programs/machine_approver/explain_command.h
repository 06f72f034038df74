// SPDX-License-Identifier: Apache-2.0
// `explain CSR`.
#pragma once

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace machine_approver {

// `terminal` protects the streams, for --color; null: none does.
cli::Command ExplainCommand(host::Host& host, cli::Terminal* terminal);

}  // namespace machine_approver
