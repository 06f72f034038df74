// SPDX-License-Identifier: Apache-2.0
// The results of init's and join's checks on a reset node.
#pragma once

#include <string_view>
#include <vector>

#include "checks/finding.h"
#include "reset/teardown.h"

namespace reset {

// A command that could make this machine a node again.
struct NextRun {
  std::string_view command;  // "init"
  checks::Findings errors;   // that would end it; empty: its checks pass
};

// Runs those preflight checks of init, join and join --control-plane that depend on a reset: of
// files, directories and ports, at the node's former places.
std::vector<NextRun> CheckNextRuns(const Teardown& teardown);

}  // namespace reset
