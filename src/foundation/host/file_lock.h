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

// A lock for the object's lifetime: an exclusive flock(2) on an open file description, which child
// processes do not inherit. The kernel releases the lock when the process dies. The lock also
// excludes other threads of the same process.
class FileLock {
 public:
  // Locks a file that exists only for this purpose. The file has mode 0600, so that other users can
  // neither open nor lock it, and is never removed. The holder writes its process id for others to
  // read, and `note` on the next lines. Returns std::nullopt if another process holds the lock.
  // Throws base::Error with the system error's kind if the file cannot be opened or created.
  // A symbolic link is such an error, because it is not followed. Throws base::Error(kInvalid) if
  // the file is not a plain file of this user.
  static std::optional<FileLock> Try(Files& files, const fs::path& path,
                                     std::string_view note = {});
  // Locks a directory itself and writes nothing. Every user who may list the directory can also
  // lock it, so use this only to separate runs of the same user. Throws base::Error with the system
  // error's kind if the directory cannot be locked.
  static std::optional<FileLock> TryDirectory(const Files& files, const fs::path& path);

  // Locks a file that another program locks while using it, and writes nothing. Returns
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
  // Calls Try until it returns the lock. After the timeout of `patience`, throws kTimeout naming
  // the holder's process id.
  static FileLock Acquire(Files& files, const fs::path& path, const Patience& patience);

 private:
  explicit FileLock(Descriptor fd) : fd_(std::move(fd)) {}
  Descriptor fd_;
};

}  // namespace host
