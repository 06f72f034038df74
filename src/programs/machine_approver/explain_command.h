// SPDX-License-Identifier: Apache-2.0
// `explain CSR`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace machine_approver {

cli::Command ExplainCommand(host::Host& host);

}  // namespace machine_approver
