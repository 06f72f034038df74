// SPDX-License-Identifier: Apache-2.0
// How full the file system of a path is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace host
