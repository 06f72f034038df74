// SPDX-License-Identifier: Apache-2.0
// What init and join would say of a node that was reset.
#pragma once

#include <string_view>
#include <vector>

#include "checks/finding.h"
#include "reset/teardown.h"

namespace reset {

// NextRun is a command that could make this machine a node again.
struct NextRun {
  std::string_view command;  // "init"
  checks::Findings errors;   // that would end it; empty: its checks pass
};

// CheckNextRuns runs those preflight checks of init, join and join --control-plane that a reset can
// make pass: of files, directories and ports, in the places where the node had them.
std::vector<NextRun> CheckNextRuns(const Teardown& teardown);

}  // namespace reset
