// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm reset` and their data (reference: phases.md §5).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backup/create.h"
#include "reset/next_runs.h"
#include "reset/teardown.h"
#include "steps/world.h"
#include "workflow/phase.h"

namespace kubeadm {

// The shared data of the phases. Belongs to one run; its phases run one after the other.
struct ResetData {
  steps::World& world;
  reset::Teardown teardown;
  bool all = false;                                  // --all
  std::set<std::string> ignored_preflight_errors;    // lower case
  std::optional<backup::CreateRequest> backup = {};  // --backup
  std::vector<reset::NextRun> next = {};             // the checks of the next runs, after the reset
  // Asks the user a question. Returns true for a yes.
  std::function<bool(const std::string& question)> confirm;
};

using ResetPhase = workflow::Phase<ResetData>;

std::vector<ResetPhase> ResetPhases();

// Returns the report at the end of the command: the remaining files and objects on this machine,
// and whether init and join would pass their checks.
std::string ResetReport(const std::vector<std::string>& leftovers,
                        const std::vector<reset::NextRun>& next);

// Returns whether every command in `next` would pass its checks.
bool IsFree(const std::vector<reset::NextRun>& next);

}  // namespace kubeadm
