// SPDX-License-Identifier: Apache-2.0
// How full the file system of a path is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/processes.h"

namespace host {

// DiskSpace is what statvfs(3) says: bytes and inodes for everybody, not root alone.
struct DiskSpace {
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // bytes
  std::uint64_t inodes = 0;     // 0: the file system does not count them
  std::uint64_t inodes_available = 0;
  std::uint64_t file_system = 0;  // the same number for paths of one file system
};

// DiskSpaceOf returns nothing when there is no such path or it cannot be asked.
std::optional<DiskSpace> DiskSpaceOf(const std::string& path);

// AskDiskSpace has stat(1) find that out, for who must not wait longer than `limit`: nothing ends a
// thread that asks the file system of a dead server, but a child can be left behind. Throws
// base::Error: kTimeout, kCancelled, kNotFound without that program.
std::optional<DiskSpace> AskDiskSpace(Processes& processes, const std::string& path,
                                      std::chrono::milliseconds limit);

}  // namespace host
