// SPDX-License-Identifier: Apache-2.0
// What runs and hangs on the node that is reset: mounts of Pods and their containers (reference:
// upgrade-reset.md §8).
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "cri/runtime.h"
#include "host/clock.h"
#include "host/mounts.h"

namespace reset {

namespace fs = std::filesystem;

// MountsBelow are the targets strictly below a directory, whose links are followed; the last one
// that was mounted comes first.
std::vector<fs::path> MountsBelow(const host::Mounts& mounts, const fs::path& directory);

// UnmountBelow unmounts them. What turns out not to be a mount is skipped and returned. Throws
// base::Error for the first one that cannot be unmounted: going on would delete what it shows.
std::vector<fs::path> UnmountBelow(host::Mounts& mounts, const fs::path& directory,
                                   std::span<const std::string> flags);

// RemovedSandboxes is what RemoveSandboxes has done.
struct RemovedSandboxes {
  std::size_t count = 0;
  std::vector<std::string> problems;  // of those that are left
};

// Patience is how long RemoveSandboxes may take, and what ends it earlier.
struct Patience {
  host::Clock& clock;
  std::chrono::milliseconds limit{120'000};  // for all of them together
  std::stop_token stop;
};

// RemoveSandboxes stops and removes all Pods of a runtime, each tried up to five times. A runtime
// that does not answer is a problem, no error. Throws kCancelled when stopped.
RemovedSandboxes RemoveSandboxes(cri::Runtime& runtime, const Patience& patience);

}  // namespace reset
