// SPDX-License-Identifier: Apache-2.0
#include "engine/node_lock.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/duration.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "components/table.h"
#include "config/paths.h"
#include "json/rfc3339.h"
#include "static_pods/static_pod.h"

namespace engine {
namespace {

using base::Error;
using host::FileLock;
using host::fs::path;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kNodeLock = "/run/slipway/node.lock";
// The lock file if /run is read-only. Only root can open this file; other users can open the
// directory.
constexpr std::string_view kLockBeside = "/etc/kubernetes/.slipway-node.lock";
// Shorter waits are not reported, because brief runs often follow each other closely.
constexpr std::chrono::seconds kSilence{1};

std::string NoteOf(const std::string& command, const host::Host& host) {
  const auto now = host.clock.NowSeconds();
  return fmt::format("{}\n{}\n", command, json::FormatRfc3339(now));
}

// Returns the name, for messages, of the process that wrote the lock's file.
std::string HolderOf(const std::string& content) {
  const std::vector<std::string> lines = base::Lines(content);
  if (lines.size() != 3) {  // the holder has not written its lines yet
    return "another process";
  }
  return fmt::format("{} (process {}, since {})", base::Quoted(lines[1]), lines[0], lines[2]);
}

// The wait of one command, with one deadline for all its locks.
class Waiter {
 public:
  Waiter(host::Host& host, const NodeLockRequest& request)
      : host_(host),
        request_(request),
        note_(NoteOf(request.command, host)),
        timeout_(request.timeout),
        begin_(host.clock.Steady()) {
    if (timeout_ < timeout_.zero()) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("--{} {}: it must not be negative", kLockTimeoutFlag,
                              base::FormatDuration(timeout_)));
    }
  }

  FileLock LockFile(const path& file) {
    return Take([&] { return FileLock::Try(host_.files, file, note_); },
                [&] {
                  return fmt::format("{} is changing this node",
                                     HolderOf(host_.files.Find(file).value_or("")));
                });
  }

  FileLock LockDirectory(const path& directory) {
    return Take([&] { return FileLock::TryDirectory(host_.files, directory); },
                [&] {
                  return fmt::format("another process is changing directory {}",
                                     directory.string());
                });
  }

 private:
  FileLock Take(const FileLock::Take& take, const std::function<std::string()>& holder) {
    const auto trying = [&] {
      std::optional<FileLock> lock = take();
      if (!lock) {
        SayOnce(holder);
      }
      return lock;
    };
    const auto left = timeout_ - (host_.clock.Steady() - begin_);
    std::optional<FileLock> lock = FileLock::Await(
        trying,
        {.clock = host_.clock,
         .timeout = std::chrono::ceil<std::chrono::milliseconds>(std::max(left, left.zero())),
         .stop = request_.stop});
    if (!lock) {
      throw Error(Error::Kind::kTimeout,
                  fmt::format("{}; wait until that is done, or let this command wait for it: "
                              "--{} 10m",
                              holder(), kLockTimeoutFlag));
    }
    return *std::move(lock);
  }

  void SayOnce(const std::function<std::string()>& holder) {
    if (!said_ && timeout_ > kSilence && host_.clock.Steady() - begin_ >= kSilence) {
      if (request_.say) {
        request_.say(fmt::format("[lock] {}; waiting for it up to {}", holder(),
                                 base::FormatDuration(timeout_)));
      }
      said_ = true;
    }
  }

  host::Host& host_;
  const NodeLockRequest& request_;
  const std::string note_;
  const base::Duration timeout_;
  const Clock::time_point begin_;
  bool said_ = false;
};

// Returns the canonical paths of the directories. All runs use the same order, so that two runs
// cannot deadlock. Creates missing directories, because only an existing directory can be locked.
std::map<path, path> Lockable(host::Files& files, const std::vector<path>& directories) {
  std::map<path, path> by_true_name;
  for (const path& directory : directories) {
    try {
      files.MakeDirectories(directory, 0755);
      by_true_name.emplace(host::fs::weakly_canonical(files.Location(directory)), directory);
    } catch (const Error& error) {
      // The command itself reports the missing directory with a better message.
      base::LogInfo(1, "not locked: {}", error.message());
    }
  }
  return by_true_name;
}

// Returns those directories of the request that are links or do not belong to root. Users without
// rights to the node may use these directories without the node's lock, so each one gets its own
// lock.
std::vector<path> OfOthers(const host::Files& files, const NodeLockRequest& request) {
  std::vector<path> directories;
  for (const path& directory : request.directories) {
    const std::optional<host::FileInfo> info = files.Stat(directory);
    if (info && (info->uid != 0 || info->kind == host::FileInfo::Kind::kLink)) {
      directories.push_back(directory);
    }
  }
  return directories;
}

// Locks the file. Returns std::nullopt if this user may not create or open it.
std::optional<FileLock> TryLockFile(Waiter& waiter, std::string_view file) {
  try {
    return waiter.LockFile(file);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
    base::LogInfo(1, "not locked: {}", error.message());
    return std::nullopt;
  }
}

std::optional<FileLock> TryLockNode(Waiter& waiter, const host::Machine& machine) {
  std::optional<FileLock> lock = TryLockFile(waiter, kNodeLock);
  return lock || machine.EffectiveUser() != 0 ? std::move(lock) : TryLockFile(waiter, kLockBeside);
}

// Returns the directories that may contain certificates of this node.
std::set<path> CertificatesDirs(const host::Files& files) {
  std::set<path> directories{config::kDefaultCertificatesDir};
  try {
    const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
    const auto file = pod ? static_pods::CommandArg(*pod, "tls-cert-file") : std::nullopt;
    if (file && path(*file).is_absolute()) {
      directories.insert(path(*file).parent_path());
    }
  } catch (const Error& error) {
    base::LogInfo(1, "using the default directory of certificates: {}", error.message());
  }
  return directories;
}

// Completes interrupted certificate writes. Ignores an error for missing read permission, because a
// user without this permission cannot have written the certificates. Any other error is only
// logged, because some commands, such as `reset`, need no certificate.
void FinishPairs(host::Files& files) {
  for (const path& directory : CertificatesDirs(files)) {
    try {
      certs::FinishPairs(files, directory);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kForbidden) {
        base::LogInfo(1, "not looked at: {}", error.message());
      } else {
        base::LogWarning("certificates of an interrupted run may stay incomplete: {}",
                         error.message());
      }
    }
  }
}

}  // namespace

NodeLock LockNode(host::Host& host, const NodeLockRequest& request) {
  NodeLock locks;
  Waiter waiter(host, request);
  std::vector<path> directories;
  if (std::optional<FileLock> node = TryLockNode(waiter, host.machine)) {
    locks.push_back(*std::move(node));
    directories = OfOthers(host.files, request);
    FinishPairs(host.files);
  } else {
    directories = request.directories;
  }
  for (const auto& [true_name, directory] : Lockable(host.files, directories)) {
    try {
      locks.push_back(waiter.LockDirectory(directory));
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kTimeout) {
        throw;
      }
      base::LogInfo(1, "not locked: {}", error.message());  // a file system without such locks
    }
  }
  return locks;
}

}  // namespace engine
