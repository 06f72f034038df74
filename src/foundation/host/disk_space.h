// SPDX-License-Identifier: Apache-2.0
// Free space of file systems.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/processes.h"

namespace host {

// The result of statvfs(3): bytes and inodes available to every user, not only to root.
struct DiskSpace {
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // bytes
  std::uint64_t inodes = 0;     // 0: the file system does not count them
  std::uint64_t inodes_available = 0;
  std::uint64_t file_system = 0;  // its id: equal for paths of one file system
};

// Returns std::nullopt if the path does not exist or cannot be queried.
std::optional<DiskSpace> DiskSpaceOf(const std::string& path);

// Queries the disk space by stat(1), for callers that must not wait longer than `limit`. If the
// server of a file system is dead, a thread that queries it cannot be stopped, but a child process
// can be abandoned. Throws base::Error: kTimeout, or kNotFound if stat(1) is missing. Throws
// base::Interrupted if `processes` gets a stop request.
std::optional<DiskSpace> CollectDiskSpace(Processes& processes, const std::string& path,
                                          std::chrono::milliseconds limit);

}  // namespace host
