// Locks between processes.
#pragma once

#include <optional>
#include <stop_token>

#include "host/clock.h"
#include "host/descriptor.h"
#include "host/files.h"

namespace host {

// FileLock is held as long as it lives: an exclusive flock(2) on a file made for that purpose (mode
// 0600, never removed, holds the owner's process id). The kernel lets go when the process dies.
// Threads of one process exclude each other as well.
class FileLock {
 public:
  // Try returns nothing when somebody else holds it. Throws base::Error when the file cannot be
  // made.
  static std::optional<FileLock> Try(Files& files, const fs::path& path);
  // Acquire waits for it. Throws kCancelled when stopped, kTimeout (naming the holder's process id)
  // after `timeout`.
  struct Patience {
    Clock& clock;
    std::chrono::milliseconds timeout;
    std::stop_token stop;
  };
  static FileLock Acquire(Files& files, const fs::path& path, const Patience& patience);

 private:
  explicit FileLock(Descriptor fd) : fd_(std::move(fd)) {}
  Descriptor fd_;
};

}  // namespace host
