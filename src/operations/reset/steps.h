// SPDX-License-Identifier: Apache-2.0
// A reset as lists of steps: what is taken down in which order, what is kept and why (reference:
// upgrade-reset.md §8).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reset/notes.h"
#include "reset/teardown.h"

namespace reset {

// Step is one thing that a reset does. Its lines are whole, as the user reads them.
struct Step {
  std::vector<std::string> warnings = {};                 // known beforehand
  std::optional<std::string> planned = {};                // what is shown instead of doing it
  std::optional<std::string> begins = {};                 // what is said before it is done
  std::function<void(Teardown&, const Notes&)> run = {};  // may be empty: only the lines count
};
using Steps = std::vector<Step>;

// EtcdSteps take this node's member out of the etcd cluster while that can do without it, then
// empty its data directory. Leaving throws base::Error(kConflict) where going on would cost the
// cluster its quorum, unless the configuration forces it; every other failure is a warning.
Steps EtcdSteps(Teardown& teardown, const Notes& notes);

// NodeSteps take down what runs first, then what it used: kubelet, mounts, Pods, directories,
// files, accounts. A mount that cannot be unmounted throws base::Error before anything is deleted;
// so does, as kConflict, an etcd member that was not taken out before and cannot be spared.
Steps NodeSteps(Teardown& teardown, const Notes& notes);

// Do runs the steps in order, Show only tells what they would do.
void Do(const Steps& steps, Teardown& teardown, const Notes& notes);
void Show(const Steps& steps, const Notes& notes);

}  // namespace reset
