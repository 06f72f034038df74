// SPDX-License-Identifier: Apache-2.0
// `explain CSR`.
#pragma once

#include "cli/colors.h"
#include "cli/command.h"
#include "host/host.h"

namespace machine_approver {

// `colors` are those of the streams, for --color; null: none.
cli::Command ExplainCommand(host::Host& host, cli::Colors* colors);

}  // namespace machine_approver
