// SPDX-License-Identifier: Apache-2.0
// `judge --input FILE|-`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace machine_approver {

cli::Command JudgeCommand(host::Host& host);

}  // namespace machine_approver
