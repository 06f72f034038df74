// SPDX-License-Identifier: Apache-2.0
// The backup that an upgrade makes of a node, and the restore of etcd's data from it
// (docs/upgrading.md).
//
// This backup is not encrypted, because the same keys are unencrypted on the same host. A
// passphrase that the host could read by itself would not protect them better. The backup's
// directory belongs to root, mode 0700, and `reset` removes it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "backup/collect.h"
#include "backup/create.h"
#include "backup/restore.h"
#include "cri/runtime.h"
#include "host/host.h"

namespace backup {

// The directory of these backups.
inline constexpr std::string_view kUpgradeBackups = "/var/lib/slipway/upgrade-backups";

// The number of these backups that a node keeps.
inline constexpr std::int64_t kUpgradeBackupCount = 3;

// The request of MakeUpgradeBackup.
struct UpgradeBackupRequest {
  cri::Runtime& runtime;
  // Paths of backups that must be kept, whatever their number.
  std::span<const std::string> needed = {};
  Progress progress = {};
};

// The result of MakeUpgradeBackup.
struct UpgradeBackup {
  std::string path;  // "" if the disk has too little space for a backup
  // A sentence for the user about the new backup, or why no backup was made.
  std::string summary;
};

// Backs this node up to kUpgradeBackups, together with etcdutl from the running etcd. Then removes
// all but the newest kUpgradeBackupCount backups there. Throws the errors of Create.
UpgradeBackup MakeUpgradeBackup(const UpgradeBackupRequest& request, const CollectionInput& input,
                                const EtcdAccess& etcd);

// Returns the path of the etcdutl that was saved with the backup.
host::fs::path EtcdutlOf(const host::fs::path& backup);

// Creates a new etcd data directory with a single member from the snapshot in such a backup. Raises
// the revision as RestoreSnapshot does. Throws base::Error: kNotFound if the backup or its etcdutl
// is missing, and the errors of ReadBackup and RestoreSnapshot.
void RestoreUpgradeData(host::Host& host, const host::fs::path& backup,
                        const host::fs::path& directory, const std::stop_token& stop);

}  // namespace backup
