// SPDX-License-Identifier: Apache-2.0
// What is measured of a machine, or asked of its kernel, once: before it becomes a node.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace host {

// SyncTime is how long 4 KiB take to be on the disk (fdatasync(2)), as etcd writes its log: the
// median of thirty writes, or of those that half a second is enough for. They go to a file without
// a name in the directory, of which nothing is left. Nothing when that cannot be made there.
std::optional<std::chrono::microseconds> SyncTime(const std::filesystem::path& directory);

// IsClockKept tells whether somebody, such as chronyd, keeps the clock in step with others, as the
// kernel says (adjtimex(2)). Nothing when it does not tell.
std::optional<bool> IsClockKept();

}  // namespace host
