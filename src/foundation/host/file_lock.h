// SPDX-License-Identifier: Apache-2.0
// Locks between processes.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/clock.h"
#include "host/descriptor.h"
#include "host/files.h"

namespace host {

// A lock that is held for the object's lifetime: an exclusive flock(2) on an open file description,
// which no child process gets. The kernel releases it when the process dies. Threads of one process
// exclude each other as well.
class FileLock {
 public:
  // Locks a file created for that purpose (mode 0600, so that other users can neither open nor lock
  // it; never removed). The holder writes its process id for others to read, and `note` on the
  // lines after that. Returns std::nullopt if another process holds the lock. Throws base::Error if
  // the file cannot be created, kInvalid if the path is not a plain file of this user: a symbolic
  // link is not followed.
  static std::optional<FileLock> Try(Files& files, const fs::path& path,
                                     std::string_view note = {});
  // Locks a directory itself and writes nothing. Every user who may list the directory can lock it,
  // too: this only separates a user's own runs. Throws base::Error with the system error's kind if
  // it cannot be locked.
  static std::optional<FileLock> TryDirectory(const Files& files, const fs::path& path);

  // Locks a file that another program locks while it uses it, and writes nothing. Returns
  // std::nullopt if another process holds the lock. Throws base::Error(kNotFound) if the file does
  // not exist.
  static std::optional<FileLock> TryExisting(const Files& files, const fs::path& path);

  struct Patience {
    Clock& clock;
    std::chrono::milliseconds timeout;
    std::stop_token stop;
  };
  // Calls `take` until it returns a lock. Returns std::nullopt after `timeout`. Throws
  // base::Interrupted when stopped.
  using Take = std::function<std::optional<FileLock>()>;
  static std::optional<FileLock> Await(const Take& take, const Patience& patience);
  // Acquire awaits Try. Throws kTimeout, naming the holder's process id, after `timeout`.
  static FileLock Acquire(Files& files, const fs::path& path, const Patience& patience);

 private:
  explicit FileLock(Descriptor fd) : fd_(std::move(fd)) {}
  Descriptor fd_;
};

}  // namespace host
