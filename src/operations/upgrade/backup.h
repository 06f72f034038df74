// SPDX-License-Identifier: Apache-2.0
// Backups for an upgrade, in directories below /etc/kubernetes/tmp (reference: upgrade-reset.md
// §5).
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/host.h"
#include "upgrade/record.h"

namespace upgrade {

inline constexpr std::string_view kManifestsBackup = "kubeadm-backup-manifests";
inline constexpr std::string_view kPatchesBackup = "kubeadm-backup-patches";
inline constexpr std::string_view kKubeletConfigBackup = "kubeadm-kubelet-config";

// Copies the data directory of a stopped etcd into `directory`, as its subdirectory "etcd". An etcd
// can serve this copy. Throws base::Error before any write if the disk has too little space, and
// kConflict if another process uses the files. Removes a partial copy after an error.
void CopyEtcdData(host::Host& host, const host::fs::path& data_dir,
                  const host::fs::path& directory);

// Data of etcd's only member, to be restored.
struct EtcdRestoration {
  host::fs::path data_dir;
  // Makes the new data directory, which does not exist yet, with the subdirectory "member".
  std::function<void(const host::fs::path& directory)> make;
};

// Replaces the content of the data directory by the restored data, and sets the owner of the old
// data. Keeps the old content in the data directory as "member.failed-upgrade", with a number if
// that name exists. Waits up to a minute for the lock that an etcd holds on its database, whatever
// Pod or process the etcd is. If the process is killed, no data are lost, and the function may be
// called again. Throws base::Error(kConflict), without any change, if an etcd still runs on the
// data directory.
void RestoreEtcdData(host::Host& host, const EtcdRestoration& restoration,
                     const std::stop_token& stop = {});

// Copies kube-proxy's patches from the user's directory into a backup directory, because other
// users may be able to write to the user's directory. Returns the backup directory; "" without such
// patches.
std::string KeepProxyPatches(host::Host& host, const host::fs::path& from);

// Copies the kubelet's configuration and the file of its arguments into the directory. The record
// stores the first directory only, because a rollback restores the state from before the first run.
// If the node has no such configuration, makes no copy.
void KeepKubeletConfig(host::Files& files, const host::fs::path& directory, UpgradeRecord& record);

// Restores the copy of the kubelet's configuration and arguments that the record's upgrade made
// (mode 0644). Throws base::Error(kNotFound) if the copy is missing.
void PutBackKubeletConfig(const UpgradeRecord& record, host::Files& files);

}  // namespace upgrade
