// SPDX-License-Identifier: Apache-2.0
#include "host/renames.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace host {

void Rename(const Files& files, const fs::path& from, const fs::path& to) {
  const fs::path one = files.Location(from);
  const fs::path other = files.Location(to);
  if (::rename(one.c_str(), other.c_str()) != 0) {
    throw base::Error(fmt::format("cannot rename {} to {}: {}", one.string(), other.string(),
                                  std::strerror(errno)));
  }
}

bool Exchange(const Files& files, const fs::path& a, const fs::path& b) {
  const fs::path one = files.Location(a);
  const fs::path other = files.Location(b);
  // Not every C library has a function for it.
  if (::syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) ==
      0) {
    return true;
  }
  if (errno == EINVAL || errno == ENOSYS) {
    return false;
  }
  throw base::Error(fmt::format("cannot exchange {} and {}: {}", one.string(), other.string(),
                                std::strerror(errno)));
}

}  // namespace host
