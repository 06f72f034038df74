// SPDX-License-Identifier: Apache-2.0
#include "host/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "host/place.h"

namespace host {
namespace {

// Returns false if another process holds the lock.
bool Lock(const Descriptor& fd, const fs::path& path) {
  int result = 0;
  do {
    result = ::flock(fd.get(), LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EWOULDBLOCK) {
    throw SystemError(fmt::format("cannot lock {}", path.string()), errno);
  }
  return result == 0;
}

Descriptor OpenLockFile(const Place& place) {
  const fs::path& path = place.path;
  // O_NONBLOCK: a pipe that another user put there must not block us.
  Descriptor fd = place.Open(O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (!fd.valid()) {
    throw SystemError(fmt::format("cannot open the lock {}", path.string()), errno);
  }
  struct stat found{};
  if (::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} does not belong to this user, so it cannot be used as a "
                                  "lock; find out which user created it, and remove it",
                                  path.string()));
  }
  if ((found.st_mode & 077) != 0 && ::fchmod(fd.get(), 0600) != 0) {
    throw SystemError(fmt::format("cannot set the mode of the lock {}", path.string()), errno);
  }
  return fd;
}

}  // namespace

std::optional<FileLock> FileLock::Try(Files& files, const fs::path& path, std::string_view note) {
  files.MakeDirectories(path.parent_path(), 0755);
  const fs::path real = files.Location(path);
  Descriptor fd = OpenLockFile(RequirePlace(files, path, {.verb = "lock"}));
  if (!Lock(fd, real)) {
    return std::nullopt;
  }
  // Only for messages: the lock is held even if this write fails.
  const std::string text = fmt::format("{}\n{}", ::getpid(), note);
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t put = ::pwrite(fd.get(), text.data(), text.size(), 0);
  }
  return FileLock(std::move(fd));
}

std::optional<FileLock> FileLock::TryDirectory(const Files& files, const fs::path& path) {
  const fs::path real = files.Location(path);
  Descriptor fd(::open(real.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    throw SystemError(fmt::format("cannot open directory {}", real.string()), errno);
  }
  return Lock(fd, real) ? std::optional(FileLock(std::move(fd))) : std::nullopt;
}

std::optional<FileLock> FileLock::TryExisting(const Files& files, const fs::path& path) {
  const fs::path real = files.Location(path);
  Descriptor fd(::open(real.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) {
    throw SystemError(fmt::format("cannot open {}", real.string()), errno);
  }
  return Lock(fd, real) ? std::optional(FileLock(std::move(fd))) : std::nullopt;
}

std::optional<FileLock> FileLock::Await(const Take& take, const Patience& patience) {
  using std::chrono::milliseconds;
  const auto deadline = patience.clock.Steady() + patience.timeout;
  milliseconds pause{10};
  for (;;) {
    if (std::optional<FileLock> lock = take()) {
      return lock;
    }
    if (patience.stop.stop_requested()) {
      throw base::Interrupted("stopped");
    }
    const auto left = deadline - patience.clock.Steady();
    if (left <= left.zero()) {
      return std::nullopt;
    }
    patience.clock.Sleep(std::min<std::chrono::nanoseconds>(pause, left), patience.stop);
    pause = std::min(pause * 2, milliseconds(250));
  }
}

FileLock FileLock::Acquire(Files& files, const fs::path& path, const Patience& patience) {
  std::optional<FileLock> lock = Await([&] { return Try(files, path); }, patience);
  if (!lock) {
    const std::vector<std::string> lines = base::Lines(files.Find(path).value_or(""));
    throw base::Error(base::Error::Kind::kTimeout,
                      fmt::format("{} is locked by process {}", files.Location(path).string(),
                                  lines.empty() ? "" : lines.front()));
  }
  return *std::move(lock);
}

}  // namespace host
