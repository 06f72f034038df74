// SPDX-License-Identifier: Apache-2.0
#include "upgrade/backup.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>

#include "backups/directory.h"
#include "base/error.h"
#include "base/log.h"
#include "config/paths.h"
#include "host/file_lock.h"
#include "host/new_file.h"
#include "host/renames.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "patches/patches.h"

namespace upgrade {
namespace {

using base::Error;
using host::fs::path;

// Copying gigabytes takes long on a slow disk.
constexpr std::chrono::milliseconds kCopyLimit{std::chrono::minutes(30)};
constexpr std::string_view kCopyName = "etcd";
// The time for etcd to end after a stop request.
constexpr std::chrono::milliseconds kEndOfEtcd{60'000};
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

// Renamed data may be the only copy of the last writes: never overwrite it.
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

// One of the two directories has the name at any time: an etcd that starts during the exchange must
// not begin with an empty one.
void Replace(host::Files& files, const path& whole, const path& target, const path& aside) {
  if (files.Exists(target) && host::Exchange(files, whole, target)) {
    PutAside(files, whole, aside);
    return;
  }
  PutAside(files, target, aside);
  host::Rename(files, whole, target);
}

// cp does not sync: the kernel writes the data later.
void Sync(host::Host& host, const path& what_was_written, const std::string& what) {
  RunOrThrow(host, {"sync", "-f", what_was_written.string()}, what);
}

// Follows links: a directory, or files in it, may be on another disk.
void Copy(host::Host& host, const std::vector<path>& from, const path& to,
          const std::string& what) {
  std::vector<std::string> argv = {"cp", "-aL", "--reflink=auto", "--"};
  for (const path& each : from) {
    argv.push_back(each.string());
  }
  argv.push_back(to.string());
  RunOrThrow(host, argv, what);
}

std::vector<path> FilesIn(const host::Files& files, const path& directory,
                          std::string_view extension) {
  std::vector<path> found;
  for (const std::string& name : files.List(directory)) {
    if (path(name).extension() == extension) {
      found.push_back(directory / name);
    }
  }
  return found;
}

// An etcd may run as its own user.
void TakeOver(host::Files& files, const path& of, const path& to) {
  const auto info = files.Stat(of);
  if (info && info->kind != host::FileInfo::Kind::kLink) {
    files.SetOwner(to, info->uid, info->gid);
    files.SetMode(to, info->mode);
  }
}

// Withholds a directory from an etcd's user during the object's lifetime, because that user could
// plant symbolic links in the copy. Then the directory gets the owner and mode of `like`. After a
// kill, the next run sets them.
class Withheld {
 public:
  Withheld(host::Files& files, path directory, path like)
      : files_(files), directory_(std::move(directory)), like_(std::move(like)) {
    const auto owner = files_.Stat(directory_ / ".");
    const auto self = files_.Stat(like_.parent_path());  // a backup belongs to its creator
    if (owner && self && owner->uid != self->uid) {
      files_.SetOwner(directory_, self->uid, self->gid);
      files_.SetMode(directory_, 0700);
    }
  }
  ~Withheld() {
    try {
      TakeOver(files_, like_, directory_);
    } catch (const Error& error) {
      base::LogWarning("{}", error.message());
    }
  }
  Withheld(const Withheld&) = delete;
  Withheld& operator=(const Withheld&) = delete;

 private:
  host::Files& files_;
  path directory_;
  path like_;
};

// An etcd starts from raft's last snapshot (snap/*.snap), applies the log (wal/*.wal) to the
// database, and serves. So the database must be no older than the snapshots and no newer than the
// log. Therefore etcd itself saves it between the two copies: a plain copy of a changing file would
// be inconsistent.
void CopyServing(host::Host& host, const EtcdData& data, const path& copy,
                 const std::string& what) {
  const path member = data.directory / "member";
  const bool has_log = host.files.Exists(member / "wal");  // else --wal-dir names its directory
  for (const char* name : {"", "member", "member/snap", "member/wal"}) {
    if (has_log || !std::string_view(name).ends_with("wal")) {
      host.files.MakeDirectories(copy / name, 0700);
      TakeOver(host.files, data.directory / name / ".", copy / name);
    }
  }
  if (const auto snapshots = FilesIn(host.files, member / "snap", ".snap"); !snapshots.empty()) {
    Copy(host, snapshots, copy / "member/snap", what);
  }
  host::NewFile database(host.files, copy / "member/snap/db");
  base::WithContext(what, [&] {
    data.snapshot([&](std::string_view bytes) { database.Append(bytes); });
    database.Finish();
  });
  TakeOver(host.files, member / "snap/db", copy / "member/snap/db");
  if (has_log) {
    Copy(host, FilesIn(host.files, member / "wal", ".wal"), copy / "member/wal", what);
  }
}

// Locks the database of a stopped etcd: the next etcd waits for the lock (bbolt locks its file with
// flock). Returns std::nullopt if the database does not exist.
std::optional<host::FileLock> LockEtcdData(host::Host& host, const path& data_dir,
                                           const std::string& what, const std::stop_token& stop) {
  const path database = data_dir / "member/snap/db";
  if (!host.files.Exists(database)) {
    return std::nullopt;
  }
  auto lock =
      host::FileLock::Await([&] { return host::FileLock::TryExisting(host.files, database); },
                            {.clock = host.clock, .timeout = kEndOfEtcd, .stop = stop});
  if (!lock) {
    throw Error(Error::Kind::kConflict,
                fmt::format("could not {}: another process uses {}. Find it by 'fuser -v {}' and "
                            "'crictl ps --name etcd', and end it",
                            what, data_dir.string(), database.string()));
  }
  return lock;
}

}  // namespace

void CopyEtcdData(host::Host& host, const EtcdData& data, const path& directory) {
  const path copy = directory / kCopyName;
  const std::string what =
      fmt::format("copy etcd's data from {} to {}", data.directory.string(), directory.string());
  try {
    CheckSpace(host, data.directory, directory);
    if (data.snapshot) {
      CopyServing(host, data, copy, what);
    } else {
      const std::optional<host::FileLock> lock = LockEtcdData(host, data.directory, what, {});
      Copy(host, {data.directory}, copy, what);
    }
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

bool CanRestoreEtcdData(const host::Files& files, const path& directory) {
  return !directory.empty() && files.Exists(directory / kCopyName / "member/wal");
}

void RestoreEtcdData(host::Host& host, const path& directory, const path& data_dir,
                     const std::stop_token& stop) {
  const std::optional<host::FileLock> lock =
      LockEtcdData(host, data_dir, "put back etcd's data", stop);
  const path copy = directory / kCopyName;
  const Withheld withheld(host.files, data_dir, copy);
  for (const std::string& name : host.files.List(copy)) {
    const path target = data_dir / name;
    const path part = data_dir / (name + ".restoring");
    const path whole = data_dir / (name + ".restored");
    const std::string what =
        fmt::format("put back {} from {}", target.string(), (copy / name).string());
    const path aside = data_dir / (name + ".failed-upgrade");
    host.files.RemoveTree(part);
    RunOrThrow(host, {"cp", "-aT", "--", (copy / name).string(), part.string()}, what);
    PutAside(host.files, whole, aside);  // of a killed run: this copy, or the earlier data
    host::Rename(host.files, part, whole);
    Sync(host, whole, what);
    Replace(host.files, whole, target, aside);
    Sync(host, target, what);
  }
}

std::string KeepProxyPatches(host::Host& host, const path& from) {
  std::vector<std::string> names =
      from.empty() ? std::vector<std::string>() : host.files.List(from);
  std::erase_if(names, [&](const std::string& name) {
    const auto info = host.files.Stat(from / name);
    return !name.starts_with(patches::kKubeProxyDaemonSetTarget) || !info ||
           info->kind == host::FileInfo::Kind::kDirectory;
  });
  if (names.empty()) {
    return "";
  }
  const path directory = backups::MakeDirectory(host, kPatchesBackup);
  for (const std::string& name : names) {
    backups::CopyFile(host.files, from / name, directory);
  }
  return directory.string();
}

void KeepKubeletConfig(host::Files& files, const path& directory, Record& record) {
  if (!files.Exists(path(kubelet::kConfigFile))) {
    return;
  }
  for (const path& file : {path(kubelet::kConfigFile), path(kubelet::kFlagsFile)}) {
    if (files.Exists(file)) {
      backups::CopyFile(files, file, directory);
    }
  }
  if (record.kubelet_config.empty()) {
    record.kubelet_config = directory.string();
  }
  record.writes_kubelet = true;
  SaveRecord(files, record);
}

void PutBackKubeletConfig(const Record& record, host::Files& files) {
  const auto kept = [&](const path& file) { return path(record.kubelet_config) / file.filename(); };
  const path flags(kubelet::kFlagsFile);
  if (const std::optional<std::string> text = files.Find(kept(flags))) {
    files.Write(flags, *text, {.mode = 0644});
  }
  const path file(kubelet::kConfigFile);
  files.Write(file, files.Read(kept(file)), {.mode = 0644});
}

}  // namespace upgrade
