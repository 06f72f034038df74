// SPDX-License-Identifier: Apache-2.0
// `version`.
#pragma once

#include "cli/command.h"

namespace machine_approver {

cli::Command VersionCommand();

}  // namespace machine_approver
