// SPDX-License-Identifier: Apache-2.0
// The backup that an upgrade makes of this node, and the rollback of etcd's data to it.

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <array>
#include <optional>

#include "backup/upgrade_backup.h"
#include "base/build.h"
#include "base/error.h"
#include "steps/upgrade/steps.h"

namespace upgrade_steps {
namespace {

using base::Error;

constexpr std::string_view kRollback = "[upgrade/rollback]";

backup::CollectionInput InputOf(host::Host& host, workflow::Context& context) {
  return {.host = host, .created_by = std::string(base::kSlipwayVersion), .stop = context.Stop()};
}

Error CannotRestore(const std::string& reason) {
  return Error(Error::Kind::kConflict,
               "nothing was changed: etcd's data cannot be rolled back: " + reason);
}

// Returns the present revision of etcd; std::nullopt if etcd does not answer. Throws if etcd
// answers and has several members.
std::optional<std::int64_t> PresentRevision(host::Host& host, workflow::Context& context) {
  const backup::EtcdAccess etcd = backup::ConnectToEtcd(InputOf(host, context));
  std::optional<std::int64_t> revision;
  std::size_t members = 1;
  try {
    members = etcd.client->Members(etcd::Reach::kMember).size();
    revision = etcd.client->Status(etcd.endpoints.front()).revision;
  } catch (const Error&) {  // the upgraded etcd may be the reason for the rollback
    return std::nullopt;
  }
  if (members > 1) {
    throw CannotRestore(fmt::format(
        "etcd has {} members, and the others would still have the later data", members));
  }
  return revision;
}

void WarnOfLostWrites(const backup::Manifest& manifest, std::optional<std::int64_t> now,
                      workflow::Context& context) {
  if (!now) {
    context.Warn(
        "every write since the backup is lost; etcd does not answer, so their number is "
        "unknown");
    return;
  }
  context.Warn(
      fmt::format("{} writes since the backup are lost: etcd is at revision {}, and the "
                  "backup at {}",
                  *now - manifest.etcd.revision, *now, manifest.etcd.revision));
}

}  // namespace

std::string BackUpNode(UpgradeData& data, cri::Runtime& runtime, workflow::Context& context) {
  context.Print(fmt::format("[upgrade/backup] Backing this node up to {}; it may take a while",
                            backup::kUpgradeBackups));
  const std::array needed{data.Record().backup};
  const backup::CollectionInput input = InputOf(data.host, context);
  const backup::UpgradeBackup made = base::WithContext(
      "nothing was changed: this node could not be backed up before the upgrade (fix the cause, or "
      "run 'kubeadm upgrade apply --no-backup')",
      [&] {
        return backup::MakeUpgradeBackup({.runtime = runtime, .needed = needed}, input,
                                         backup::ConnectToEtcd(input));
      });
  if (made.path.empty()) {
    context.Warn(made.summary);
  } else {
    context.Print("[upgrade/backup] " + made.summary);
  }
  return made.path;
}

void RequireRestorableData(const control_plane::UpgradeRecord& record, host::Host& host,
                           workflow::Context& context) {
  if (record.data_restored) {
    context.Print(fmt::format("{} etcd's data were restored before the interruption", kRollback));
    return;
  }
  if (record.backup.empty()) {
    throw CannotRestore("the upgrade made no backup on this node");
  }
  if (!host.files.Exists(backup::EtcdutlOf(record.backup))) {
    throw CannotRestore(backup::EtcdutlOf(record.backup).string() + " does not exist");
  }
  const backup::NodeFiles files =  // reads and checks the whole backup
      backup::ReadNodeFiles({.file = record.backup, .keys = {}, .only = std::nullopt},
                            {.host = host, .connect_runtime = {}, .stop = context.Stop()});
  const backup::Manifest& manifest = files.manifest;
  if (manifest.etcd.external) {
    throw CannotRestore("etcd is not a static Pod of this node");
  }
  if (manifest.etcd.members.size() != 1) {
    throw CannotRestore(fmt::format("etcd had {} members", manifest.etcd.members.size()));
  }
  if (const auto problem = backup::RevisionBumpProblem(manifest.etcd.version)) {
    throw CannotRestore(*problem + ". Without --with-data the rollback keeps etcd's data");
  }
  const std::optional<std::int64_t> now = PresentRevision(host, context);
  context.Print(fmt::format("{} etcd's data come back from {}, made at {:%Y-%m-%dT%H:%M:%SZ}",
                            kRollback, record.backup, manifest.created));
  WarnOfLostWrites(manifest, now, context);
}

}  // namespace upgrade_steps
