// SPDX-License-Identifier: Apache-2.0
// The processes and mounts of a node that is reset: mounts of Pods and their containers (reference:
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

// Returns the mount targets below a directory, without the directory itself. Links in the
// directory's path are followed. The target that was mounted last comes first.
std::vector<fs::path> MountsBelow(const host::Mounts& mounts, const fs::path& directory);

// Unmounts the targets that MountsBelow returns. Returns the targets that were skipped because they
// are not mounts. Throws the system's error if a mount cannot be unmounted, because a later
// deletion would delete the files in this mount.
std::vector<fs::path> UnmountBelow(host::Mounts& mounts, const fs::path& directory,
                                   std::span<const std::string> flags);

// The result of RemoveSandboxes.
struct RemovedSandboxes {
  std::size_t count = 0;
  std::vector<std::string> problems;  // why Pods were not removed
};

// The time limit of RemoveSandboxes, and its stop token.
struct Patience {
  host::Clock& clock;
  std::chrono::milliseconds limit{120'000};  // for all of them together
  std::stop_token stop;
};

// Stops and removes all Pods of a runtime, each with up to five attempts. If the runtime does not
// answer, the result contains a problem; no error is thrown. Throws base::Interrupted after a stop
// request.
RemovedSandboxes RemoveSandboxes(cri::Runtime& runtime, const Patience& patience);

}  // namespace reset
