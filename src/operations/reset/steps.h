// SPDX-License-Identifier: Apache-2.0
// A reset as lists of steps: their order, the kept parts and the reasons (reference:
// upgrade-reset.md §8).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reset/notes.h"
#include "reset/teardown.h"

namespace reset {

// One action of a reset. Its lines are complete, for users.
struct ResetStep {
  std::vector<std::string> warnings = {};                 // known beforehand
  std::optional<std::string> planned = {};                // printed instead of the action
  std::optional<std::string> begins = {};                 // printed before the action
  std::function<void(Teardown&, const Notes&)> run = {};  // may be empty: only the lines count
};
using Steps = std::vector<ResetStep>;

// Removes this node's member from the etcd cluster if that keeps its majority, then empties its
// data directory. Leaving throws base::Error(kConflict) if continuing would cost the cluster its
// quorum, unless the configuration forces it; every other failure is a warning.
Steps EtcdSteps(Teardown& teardown, const Notes& notes);

// Stops the running parts first, then removes their files: kubelet, mounts, Pods, directories,
// files, accounts. A mount that cannot be unmounted throws base::Error before any deletion. So
// does, as kConflict, an etcd member that was not removed before and is needed for the majority.
Steps NodeSteps(Teardown& teardown, const Notes& notes);

// Do runs the steps in order, Show only prints their actions.
void Do(const Steps& steps, Teardown& teardown, const Notes& notes);
void Show(const Steps& steps, const Notes& notes);

}  // namespace reset
