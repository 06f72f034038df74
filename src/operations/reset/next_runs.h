// SPDX-License-Identifier: Apache-2.0
// The results of init's and join's checks on a reset node.
#pragma once

#include <string_view>
#include <vector>

#include "checks/finding.h"
#include "reset/teardown.h"

namespace reset {

// A command that can make this machine a node again, and the result of its checks.
struct NextRun {
  std::string_view command;  // "init"
  checks::Findings errors;   // of its checks; empty: they pass
};

// Runs those preflight checks of init, join and join --control-plane whose result a reset changes:
// the checks of files, directories and ports. Uses the node's former paths.
std::vector<NextRun> CheckNextRuns(const Teardown& teardown);

}  // namespace reset
