// SPDX-License-Identifier: Apache-2.0
// The shared data of the phases of `kubeadm reset`.
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

namespace kubeadm {

// Belongs to one run; its phases run one after the other.
struct ResetData {
  steps::World& world;
  reset::Teardown teardown;
  bool all = false;                                  // --all
  std::set<std::string> ignored_preflight_errors;    // lower case
  std::optional<backup::CreateRequest> backup = {};  // --backup
  std::vector<reset::NextRun> next = {};             // once the node is reset
  // Asks the user; returns true for a yes.
  std::function<bool(const std::string& question)> confirm;
};

}  // namespace kubeadm
