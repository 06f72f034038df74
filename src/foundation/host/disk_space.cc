// SPDX-License-Identifier: Apache-2.0
#include "host/disk_space.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

namespace host {

std::optional<DiskSpace> DiskSpaceOf(const std::string& path) {
  struct statvfs space{};
  struct stat status{};
  if (statvfs(path.c_str(), &space) != 0 || stat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return DiskSpace{.total = std::uint64_t{space.f_blocks} * space.f_frsize,
                   .available = std::uint64_t{space.f_bavail} * space.f_frsize,
                   .inodes = space.f_files,
                   .inodes_available = space.f_favail,
                   .file_system = status.st_dev};
}

}  // namespace host
