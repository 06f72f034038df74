// SPDX-License-Identifier: Apache-2.0
// Measurements and kernel facts of a machine before it becomes a node.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace host {

// Returns how long a write of 4 KiB takes to reach the disk (fdatasync(2)), as etcd writes its log.
// The result is the median of thirty writes, or of the writes within half a second. Writes to an
// unnamed file in the directory, which leaves no trace. Returns std::nullopt if the file cannot be
// created there.
std::optional<std::chrono::microseconds> SyncTime(const std::filesystem::path& directory);

// Returns whether a daemon such as chronyd keeps the clock synchronized, according to the kernel
// (adjtimex(2)). Returns std::nullopt if the kernel does not know.
std::optional<bool> IsClockKept();

}  // namespace host
