// `version`.
#pragma once

#include "cli/command.h"

namespace machine_approver {

cli::Command VersionCommand();

}  // namespace machine_approver
