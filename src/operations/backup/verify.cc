// SPDX-License-Identifier: Apache-2.0
#include "backup/verify.h"

#include <fmt/core.h>

#include <utility>

#include "backup/create.h"
#include "backup/throwaway_etcd.h"
#include "base/error.h"
#include "base/secret_text.h"
#include "host/disk_space.h"
#include "host/file_lock.h"
#include "host/new_file.h"
#include "workflow/state_file.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;

constexpr std::uint64_t kSpare = std::uint64_t{64} << 20U;

// The directory of a verification; the destructor removes it. Only one verification at a time can
// use it.
class Scratch {
 public:
  explicit Scratch(host::Host& host) : host_(host), path_(workflow::kVerifying) {
    host_.files.MakeDirectories(fs::path(workflow::kDirectory), 0700);
    lock_ = host::FileLock::Try(host_.files, path_.string() + ".lock");
    if (!lock_) {
      throw Error(Error::Kind::kConflict, "another 'kubeadm backup verify' runs on this machine");
    }
    host_.files.RemoveTree(path_);  // left by a killed run
    host_.files.MakeDirectories(path_, 0700);
  }
  ~Scratch() {
    try {
      host_.files.RemoveTree(path_);
    } catch (const Error&) {
      return;  // the next verification removes the directory
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

  // Throws base::Error if the disk has no room for the snapshot and the restored data.
  void RequireSpace(std::uint64_t snapshot) const {
    const std::uint64_t needed = 2 * snapshot + kSpare;
    const auto space = host::DiskSpaceOf(host_.files.Location(path_).string());
    if (space && space->available < needed) {
      throw Error(fmt::format("{} has {} free, and verifying needs {}", path_.string(),
                              SizeText(space->available), SizeText(needed)));
    }
  }

 private:
  host::Host& host_;
  fs::path path_;
  std::optional<host::FileLock> lock_;
};

// The parts of a backup that a verification needs: small files in memory, the snapshot on the disk.
class Kept {
 public:
  Kept(const host::Files& files, const Scratch& scratch) : files_(files), scratch_(scratch) {}
  ~Kept() {
    for (auto& [path, content] : contents) {
      base::Wipe(content);
    }
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  fs::path Snapshot() const { return scratch_.path() / "snapshot.db"; }

  Visitor Visit() {
    return {.on_manifest =
                [this](const Manifest& found) {
                  manifest = found;
                  scratch_.RequireSpace(static_cast<std::uint64_t>(found.etcd.snapshot));
                  return true;
                },
            .on_file =
                [this](const std::string& name) {
                  if (name == kSnapshotName) {
                    snapshot_.emplace(files_, Snapshot());
                  } else {
                    present_ = &contents[name];
                  }
                },
            .on_bytes =
                [this](std::string_view bytes) {
                  if (snapshot_) {
                    snapshot_->Append(bytes);
                  } else {
                    *present_ += bytes;
                  }
                },
            .on_end =
                [this] {
                  if (snapshot_) {
                    snapshot_->Finish();
                    snapshot_.reset();
                  }
                }};
  }

  // Returns the files of the node by their paths there.
  std::map<std::string, std::string> NodeFiles() const {
    std::map<std::string, std::string> files;
    for (const FileRecord& file : manifest.files) {
      if (file.link.empty()) {
        files[file.path] = contents.at(file.Name());
      }
    }
    return files;
  }

  Manifest manifest;
  std::map<std::string, std::string> contents;  // by name in the archive

 private:
  const host::Files& files_;
  const Scratch& scratch_;
  std::optional<host::NewFile> snapshot_;
  std::string* present_ = nullptr;
};

void CheckEtcd(const Reading& reading, const VerifyDeps& deps, const Scratch& scratch,
               const Kept& kept, Verified& verified) {
  const std::string& image = kept.manifest.etcd.image;
  const FoundTools found = deps.find_tools ? deps.find_tools(image, scratch.path())
                                           : FindTools(deps.host, image, scratch.path());
  if (!found.tools) {
    verified.etcd_left_out = found.reason;
    return;
  }
  if (deps.say) {
    deps.say("Restoring the snapshot into a throw-away etcd");
  }
  const etcd::KeyCount count = CountKeysOf({.host = deps.host,
                                            .tools = *found.tools,
                                            .directory = scratch.path(),
                                            .snapshot = kept.Snapshot()},
                                           reading.stop);
  verified.etcd = {.keys = count.keys, .revision = count.revision};
  if (count.revision < kept.manifest.etcd.revision) {
    verified.problems.push_back(
        fmt::format("etcd's data have revision {}, and the manifest says {} or later",
                    count.revision, kept.manifest.etcd.revision));
  }
}

}  // namespace

Verified Verify(const Reading& reading, const VerifyDeps& deps) {
  const Scratch scratch(deps.host);
  Kept kept(deps.host.files, scratch);
  const Visitor visitor = kept.Visit();
  ReadBackup(reading, visitor);
  Verified verified{.path = reading.path.string(), .manifest = kept.manifest};
  PairFindings pairs = JudgePairs(kept.manifest, kept.NodeFiles(), deps.host.clock.NowSeconds());
  verified.pairs = pairs.pairs;
  verified.problems = std::move(pairs.problems);
  verified.warnings = std::move(pairs.warnings);
  CheckEtcd(reading, deps, scratch, kept, verified);
  return verified;
}

std::string TextOf(const Verified& verified) {
  std::string text = fmt::format(
      "[backup] {}: complete, {} files and {} objects match their checksums\n"
      "[backup] {} pairs of certificate and key were compared\n",
      verified.path, verified.manifest.files.size(), verified.manifest.objects.size(),
      verified.pairs);
  text += verified.etcd ? fmt::format("[backup] etcd serves the snapshot: {} keys, revision {}\n",
                                      verified.etcd->keys, verified.etcd->revision)
                        : fmt::format(
                              "[backup] Left out: the snapshot matches its checksum, but no etcd "
                              "served it: {}\n",
                              verified.etcd_left_out);
  for (const std::string& warning : verified.warnings) {
    text += fmt::format("[backup] Warning: {}\n", warning);
  }
  for (const std::string& problem : verified.problems) {
    text += fmt::format("[backup] Problem: {}\n", problem);
  }
  return text;
}

json::Value ObjectOf(const Verified& verified) {
  json::Value etcd;
  if (verified.etcd) {
    etcd = {{"keys", verified.etcd->keys}, {"revision", verified.etcd->revision}};
  }
  return {{"path", verified.path},
          {"pairs", verified.pairs},
          {"etcd", etcd},
          {"etcdLeftOut", verified.etcd_left_out},
          {"problems", verified.problems},
          {"warnings", verified.warnings},
          {"manifest", json::Encode(verified.manifest)}};
}

}  // namespace backup
