#include "host/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"

namespace host {

std::optional<FileLock> FileLock::Try(Files& files, const fs::path& path) {
  const fs::path real = files.Location(path);
  files.MakeDirectories(path.parent_path(), 0755);
  Descriptor fd(::open(real.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) {
    throw SystemError(fmt::format("cannot open the lock {}", real.string()), errno);
  }
  int result = 0;
  do {
    result = ::flock(fd.get(), LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    if (errno == EWOULDBLOCK) {
      return std::nullopt;
    }
    throw SystemError(fmt::format("cannot lock {}", real.string()), errno);
  }
  // Only for messages: whoever cannot write it holds the lock all the same.
  const std::string id = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t put = ::pwrite(fd.get(), id.data(), id.size(), 0);
  }
  return FileLock(std::move(fd));
}

FileLock FileLock::Acquire(Files& files, const fs::path& path, const Patience& patience) {
  using std::chrono::milliseconds;
  const auto deadline = patience.clock.Steady() + patience.timeout;
  milliseconds pause{10};
  for (;;) {
    if (std::optional<FileLock> lock = Try(files, path)) {
      return *std::move(lock);
    }
    if (patience.stop.stop_requested()) {
      throw base::Error(base::Error::Kind::kCancelled, "stopped");
    }
    if (patience.clock.Steady() >= deadline) {
      const std::string holder = files.Find(path).value_or("");
      throw base::Error(base::Error::Kind::kTimeout,
                        fmt::format("{} is locked by process {}", files.Location(path).string(),
                                    base::Trim(holder)));
    }
    patience.clock.Sleep(pause, patience.stop);
    pause = std::min(pause * 2, milliseconds(250));
  }
}

}  // namespace host
