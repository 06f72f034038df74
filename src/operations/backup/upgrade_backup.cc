// SPDX-License-Identifier: Apache-2.0
#include "backup/upgrade_backup.h"

#include <fmt/core.h>

#include <algorithm>

#include "backup/reader.h"
#include "backup/retention.h"
#include "base/error.h"
#include "base/strings.h"
#include "host/new_file.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;

// The space that must stay free after the backup, because etcd may use the same disk. It includes
// 30 MiB for etcdutl.
constexpr std::uint64_t kSpare = std::uint64_t{128} << 20U;

fs::path Directory() { return kUpgradeBackups; }

// Returns the missing space as a sentence; "" if the snapshot fits. Counts the uncompressed size of
// the snapshot.
std::string LackOfSpace(std::uint64_t snapshot, const host::Host& host) {
  const std::optional<std::uint64_t> free = host.machine.FreeDiskBytes(Directory().string());
  const std::uint64_t needed = snapshot + kSpare;
  if (!free || *free >= needed) {
    return "";
  }
  return fmt::format(
      "this node is not backed up: {} has {} free, and {} are needed. If etcd does not serve after "
      "the upgrade, its data cannot be restored",
      Directory().string(), SizeText(*free), SizeText(needed));
}

// Saves etcdutl next to the backup. Returns the end of the summary if etcd's data cannot be
// restored with it; otherwise "".
std::string SaveProgram(const Created& created, cri::Runtime& runtime, host::Host& host) {
  const EtcdRecord& etcd = created.manifest.etcd;
  if (etcd.external) {
    return "";
  }
  std::string problem = RevisionBumpProblem(etcd.version).value_or("");
  if (problem.empty() && !SaveEtcdutl(host, runtime, EtcdutlOf(created.path))) {
    problem = "Etcd's image has no etcdutl";
  }
  return problem.empty() ? ""
                         : fmt::format(
                               ". {}: etcd's data cannot be restored from this backup on "
                               "this node",
                               problem);
}

void RemoveOld(const UpgradeBackupRequest& request, const Manifest& manifest, host::Files& files) {
  for (const std::string& name : ChooseExpired(files.List(Directory()), manifest.node.name,
                                               {.count = kUpgradeBackupCount}, manifest.created)) {
    const fs::path path = Directory() / name;
    if (!std::ranges::contains(request.needed, path.string())) {
      files.Remove(path);
      files.Remove(EtcdutlOf(path));
    }
  }
}

}  // namespace

fs::path EtcdutlOf(const fs::path& backup) { return backup.string() + ".etcdutl"; }

UpgradeBackup MakeUpgradeBackup(const UpgradeBackupRequest& request, const CollectionInput& input,
                                const EtcdAccess& etcd) {
  host::Host& host = input.host;
  host.files.MakeDirectories(Directory(), 0700);
  std::string lack;
  try {
    const Created created = Create({.target = Directory(),
                                    .locks = std::nullopt,
                                    .progress = request.progress,
                                    .on_size =
                                        [&](std::uint64_t size) {
                                          lack = LackOfSpace(size, host);
                                          if (!lack.empty()) {
                                            throw Error(lack);
                                          }
                                        }},
                                   input, etcd);
    const std::string problem = SaveProgram(created, request.runtime, host);
    RemoveOld(request, created.manifest, host.files);
    return {.path = created.path,
            .summary = fmt::format("{}: {}, not encrypted, readable by root{}", created.path,
                                   SizeText(static_cast<std::uint64_t>(created.size)), problem)};
  } catch (const Error&) {
    if (lack.empty()) {
      throw;
    }
  }
  return {.path = {}, .summary = lack};
}

void RestoreUpgradeData(host::Host& host, const fs::path& backup, const fs::path& directory,
                        const std::stop_token& stop) {
  host::Files& files = host.files;
  if (!files.Exists(EtcdutlOf(backup))) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("{} does not exist: without it etcd's data cannot be restored from the "
                            "backup {}",
                            EtcdutlOf(backup).string(), backup.string()));
  }
  const fs::path snapshot = backup.string() + ".snapshot";
  files.Remove(snapshot);
  const RestoreRequest request{.file = backup, .keys = {}, .only = std::nullopt};
  {
    host::NewFile file(files, snapshot);
    const NodeFiles read =
        ReadNodeFiles(request, {.host = host, .connect_runtime = {}, .stop = stop},
                      [&](std::string_view bytes) { file.Append(bytes); });
    file.Finish();
    const std::optional<EtcdIdentity> identity = ReadEtcdIdentity(read);
    if (!identity) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("{} is of a node without an etcd", backup.string()));
    }
    RestoreSnapshot(*SavedEtcdutl(host, EtcdutlOf(backup)),
                    {.snapshot = snapshot,
                     .directory = directory,
                     .identity = *identity,
                     .token = base::HexEncode(host.random.Bytes(16)),
                     .bump = RevisionBump(host.clock.NowSeconds())},
                    stop);
  }
  files.Remove(snapshot);
}

}  // namespace backup
