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

// One action of a reset, with complete lines for users.
struct ResetStep {
  std::vector<std::string> warnings = {};   // known before the step runs
  std::optional<std::string> planned = {};  // printed by Show instead of the action
  std::optional<std::string> begins = {};   // printed before the action
  // May be empty: then the step only prints its lines.
  std::function<void(Teardown&, const Notes&)> run = {};
};
using Steps = std::vector<ResetStep>;

// Removes this node's member from the etcd cluster if the cluster keeps its majority without it.
// Then empties the member's data directory. The step throws base::Error(kConflict) if the cluster
// would lose its quorum, or if the effect is unknown while the member runs. A forced reset skips
// these checks. Every other failure is a warning.
Steps EtcdSteps(Teardown& teardown, const Notes& notes);

// Stops the kubelet, unmounts the kubelet's mounts and stops the Pods. Then removes directories,
// files and accounts. The steps throw base::Error(kOther) before any deletion if a mount cannot
// be unmounted. They also throw kConflict if etcd needs this node's member for its majority and the
// member was not removed.
Steps NodeSteps(Teardown& teardown, const Notes& notes);

// Do runs the steps in order. Show only prints their actions.
void Do(const Steps& steps, Teardown& teardown, const Notes& notes);
void Show(const Steps& steps, const Notes& notes);

}  // namespace reset
