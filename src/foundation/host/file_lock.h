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

// FileLock is held as long as it lives: an exclusive flock(2) on an open file description, which
// no child process gets. The kernel lets go when the process dies. Threads of one process exclude
// each other as well.
class FileLock {
 public:
  // Try locks a file made for that purpose (mode 0600, so that nobody else can open and lock it;
  // never removed). The holder leaves its process id in it for others to read, and `note` on the
  // lines after that. Nothing when somebody else holds it. Throws base::Error when the file cannot
  // be made, kInvalid when what lies there is no plain file of this user: a symbolic link is not
  // followed.
  static std::optional<FileLock> Try(Files& files, const fs::path& path,
                                     std::string_view note = {});
  // TryDirectory locks a directory itself and writes nothing. Whoever may list it can do that, too:
  // it keeps a user's own runs apart, no more. Throws base::Error when it cannot be locked.
  static std::optional<FileLock> TryDirectory(const Files& files, const fs::path& path);

  // TryExisting locks a file that another program locks while it uses it, and writes nothing.
  // Returns std::nullopt when another process holds the lock. Throws base::Error(kNotFound) when
  // there is no such file.
  static std::optional<FileLock> TryExisting(const Files& files, const fs::path& path);

  struct Patience {
    Clock& clock;
    std::chrono::milliseconds timeout;
    std::stop_token stop;
  };
  // Await calls `take` until it gives a lock; nothing after `timeout`. Throws kCancelled when
  // stopped.
  using Take = std::function<std::optional<FileLock>()>;
  static std::optional<FileLock> Await(const Take& take, const Patience& patience);
  // Acquire awaits Try. Throws kTimeout, naming the holder's process id, after `timeout`.
  static FileLock Acquire(Files& files, const fs::path& path, const Patience& patience);

 private:
  explicit FileLock(Descriptor fd) : fd_(std::move(fd)) {}
  Descriptor fd_;
};

}  // namespace host
