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
#include "host/place.h"

namespace host {

void Rename(const Files& files, const fs::path& from, const fs::path& to) {
  const Place one = RequirePlace(files, from, {.verb = "rename"});
  const Place other = RequirePlace(files, to, {.verb = "write"});
  if (::renameat(one.directory.get(), one.name.c_str(), other.directory.get(),
                 other.name.c_str()) != 0) {
    throw base::Error(fmt::format("cannot rename {} to {}: {}", one.path.string(),
                                  other.path.string(), std::strerror(errno)));
  }
}

bool Exchange(const Files& files, const fs::path& a, const fs::path& b) {
  const Place one = RequirePlace(files, a, {.verb = "exchange"});
  const Place other = RequirePlace(files, b, {.verb = "exchange"});
  // Some C libraries lack a wrapper for renameat2(2).
  if (::syscall(SYS_renameat2, one.directory.get(), one.name.c_str(), other.directory.get(),
                other.name.c_str(), RENAME_EXCHANGE) == 0) {
    return true;
  }
  if (errno == EINVAL || errno == ENOSYS) {
    return false;
  }
  throw base::Error(fmt::format("cannot exchange {} and {}: {}", one.path.string(),
                                other.path.string(), std::strerror(errno)));
}

}  // namespace host
