// SPDX-License-Identifier: Apache-2.0
#include "control_plane/etcd_data.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>

#include "base/error.h"
#include "base/log.h"
#include "config/paths.h"
#include "engine/backup_directory.h"
#include "etcd_membership/data_lock.h"
#include "etcd_membership/local_etcd.h"
#include "host/file_lock.h"
#include "host/renames.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "node_input/patches.h"

namespace control_plane {
namespace {

using base::Error;
using host::fs::path;

// Copying gigabytes takes long on a slow disk.
constexpr std::chrono::milliseconds kCopyLimit{std::chrono::minutes(30)};
constexpr std::string_view kCopyName = "etcd";
// The disk must not be full after the copy: etcd itself needs space.
constexpr std::uint64_t kSpare = 64ULL << 20U;

std::uint64_t TreeBytes(const host::Files& files, const path& directory) {
  std::uint64_t bytes = 0;
  for (const std::string& name : files.List(directory)) {
    const path entry = directory / name;
    const auto info = files.Stat(entry);
    if (info && info->kind == host::FileInfo::Kind::kDirectory) {
      bytes += TreeBytes(files, entry);
    } else if (info) {
      bytes += info->size;
    }
  }
  return bytes;
}

constexpr double MiB(std::uint64_t bytes) { return static_cast<double>(bytes) / (1U << 20U); }

void CheckSpace(host::Host& host, const path& data_dir, const path& directory) {
  const std::uint64_t needed = TreeBytes(host.files, data_dir) + kSpare;
  const std::optional<std::uint64_t> free = host.machine.FreeDiskBytes(directory.string());
  if (free && *free < needed) {
    throw Error(
        fmt::format("there is no room for a copy of etcd's data: {} has {:.0f} MiB free, "
                    "{:.0f} MiB are needed; make room there, nothing was changed",
                    directory.string(), MiB(*free), MiB(needed)));
  }
}

void RunOrThrow(host::Host& host, const std::vector<std::string>& argv, const std::string& what) {
  const host::RunResult result = host.processes.Run(argv, {.timeout = kCopyLimit});
  if (!result.Succeeded()) {
    throw Error(fmt::format("could not {}: {}", what,
                            result.timed_out ? "it took too long" : result.Combined()));
  }
}

// Returns an unused path, because renamed data may be the only copy of the last writes.
path FreeName(const path& wanted, const host::Files& files) {
  path name = wanted;
  for (int number = 2; files.Exists(name); ++number) {
    name = fmt::format("{}.{}", wanted.string(), number);
  }
  return name;
}

void PutAside(host::Files& files, const path& what_lies, const path& aside) {
  if (files.Exists(what_lies)) {
    host::Rename(files, what_lies, FreeName(aside, files));
  }
}

// Replaces the directory `target` by `whole`. At any time, one of the two directories has the name
// of `target`. Otherwise an etcd that starts during the exchange would begin with an empty
// directory.
void Replace(host::Files& files, const path& whole, const path& target, const path& aside) {
  if (files.Exists(target) && host::Exchange(files, whole, target)) {
    PutAside(files, whole, aside);
    return;
  }
  PutAside(files, target, aside);
  host::Rename(files, whole, target);
}

// Writes the data to the disk. cp does not do so: the kernel would write the data later.
void Sync(host::Host& host, const path& what_was_written, const std::string& what) {
  RunOrThrow(host, {"sync", "-f", what_was_written.string()}, what);
}

// Copies a directory. Follows links, because the directory or files in it may be on another disk.
void Copy(host::Host& host, const path& from, const path& to, const std::string& what) {
  RunOrThrow(host, {"cp", "-aL", "--reflink=auto", "--", from.string(), to.string()}, what);
}

// Returns the path of the database in the data directory, even if a killed restore has moved the
// database aside. Returns the data directory if no database exists. The owner of the returned path
// is etcd's user.
path FindDatabase(const host::Files& files, const path& data_dir) {
  for (const std::string& name : files.List(data_dir)) {  // sorted: "member" comes first
    const path database = data_dir / name / "snap/db";
    if (name.starts_with(etcd_membership::kMemberDirectory) && files.Exists(database)) {
      return database;
    }
  }
  return data_dir / ".";
}

// Makes etcd's user, which may differ from this process's user, the owner of new data.
void GiveToOwner(host::Host& host, const path& like, const path& data, const std::string& what) {
  RunOrThrow(host, {"chown", "-R", "--reference=" + like.string(), "--", data.string()}, what);
}

// Makes the data directory inaccessible to etcd's user during the object's lifetime, because this
// user could create symbolic links in the new data. The destructor sets the directory's owner to
// the owner of `like`. If the process is killed, the next run sets this owner.
class Withheld {
 public:
  Withheld(host::Files& files, path directory, const path& like)
      : files_(files), directory_(std::move(directory)), user_(files_.Stat(like)) {
    const auto self = files_.Stat(directory_.parent_path() / ".");
    withheld_ = user_ && self && user_->uid != self->uid;
    if (withheld_) {
      files_.SetOwner(directory_, self->uid, self->gid);
      files_.SetMode(directory_, 0700);
    }
  }
  ~Withheld() {
    try {
      if (withheld_) {
        files_.SetOwner(directory_, user_->uid, user_->gid);
      }
    } catch (const Error& error) {
      base::LogWarning("{}", error.message());
    }
  }
  Withheld(const Withheld&) = delete;
  Withheld& operator=(const Withheld&) = delete;

 private:
  host::Files& files_;
  path directory_;
  std::optional<host::FileInfo> user_;
  bool withheld_ = false;
};

}  // namespace

void CopyEtcdData(host::Host& host, const path& data_dir, const path& directory) {
  const path copy = directory / kCopyName;
  const std::string what =
      fmt::format("copy etcd's data from {} to {}", data_dir.string(), directory.string());
  try {
    CheckSpace(host, data_dir, directory);
    const std::optional<host::FileLock> lock = etcd_membership::LockData(host, data_dir, what, {});
    Copy(host, data_dir, copy, what);
    Sync(host, copy, what);
  } catch (...) {
    // A partial copy is useless and occupies the scarce space.
    host.files.RemoveTree(copy);
    if (host.files.List(directory).empty()) {
      host.files.RemoveTree(directory);
    }
    throw;
  }
}

void RestoreEtcdData(host::Host& host, const EtcdRestoration& restoration,
                     const std::stop_token& stop) {
  const path& data_dir = restoration.data_dir;
  const path target = data_dir / etcd_membership::kMemberDirectory;
  const path part = data_dir / "member.restoring";
  const path whole = data_dir / "member.restored";
  const path aside = data_dir / "member.failed-upgrade";
  const std::string what = fmt::format("restore etcd's data in {}", data_dir.string());
  const std::optional<host::FileLock> lock = etcd_membership::LockData(host, data_dir, what, stop);
  const path old = FindDatabase(host.files, data_dir);
  const Withheld withheld(host.files, data_dir, old);
  host.files.RemoveTree(part);
  base::WithContext(what, [&] { restoration.make(part); });
  GiveToOwner(host, old, part / etcd_membership::kMemberDirectory, what);
  // A killed run may have left `whole`, with new data or with the data to replace.
  PutAside(host.files, whole, aside);
  host::Rename(host.files, part / etcd_membership::kMemberDirectory, whole);
  host.files.RemoveTree(part);
  Sync(host, whole, what);
  Replace(host.files, whole, target, aside);
  Sync(host, target, what);
}

}  // namespace control_plane
