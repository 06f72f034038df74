// SPDX-License-Identifier: Apache-2.0
// Backups for an upgrade, in directories below /etc/kubernetes/tmp (reference: upgrade-reset.md
// §5).
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/take_bytes.h"
#include "host/host.h"
#include "upgrade/record.h"

namespace upgrade {

inline constexpr std::string_view kManifestsBackup = "kubeadm-backup-manifests";
inline constexpr std::string_view kEtcdBackup = "kubeadm-backup-etcd";
inline constexpr std::string_view kPatchesBackup = "kubeadm-backup-patches";
inline constexpr std::string_view kKubeletConfigBackup = "kubeadm-kubelet-config";

// The source of a copy: the files of a member, which may be writing them.
struct EtcdData {
  host::fs::path directory;
  // Writes a consistent copy of the database (etcd::Client::Snapshot); empty if the member does not
  // run: then its files are copied.
  std::function<void(const base::TakeBytes& take)> snapshot = {};
};

// Copies etcd's data into `directory`, as its subdirectory "etcd", so that an etcd can serve with
// them. Throws base::Error before any write if the disk has too little space, and kConflict if
// another process uses files that are copied directly. A partial copy is removed.
void CopyEtcdData(host::Host& host, const EtcdData& data, const host::fs::path& directory);

// Returns whether such a copy exists and is sufficient for a member: the log must not be elsewhere
// (--wal-dir).
bool CanRestoreEtcdData(const host::Files& files, const host::fs::path& directory);

// Replaces the present content of the data directory by such a copy. The present content is kept
// next to it as "NAME.failed-upgrade", with a number if that name exists. A kill loses no data, and
// the function may be called again. It acquires the lock that an etcd holds on its database,
// whatever Pod or process that etcd is, and waits a minute for it. Throws base::Error(kConflict),
// without any change, if an etcd still runs on the data directory.
void RestoreEtcdData(host::Host& host, const host::fs::path& directory,
                     const host::fs::path& data_dir, const std::stop_token& stop = {});

// Copies kube-proxy's patches from the user's directory into a backup, because others may write to
// that directory later. Returns the backup; "" without such patches.
std::string KeepProxyPatches(host::Host& host, const host::fs::path& from);

// Copies the kubelet's configuration, and the file of its arguments, into the directory. The record
// stores the directory unless it already has one: a rollback restores the state before the first
// run. Without a configuration no copy is made.
void KeepKubeletConfig(host::Files& files, const host::fs::path& directory, Record& record);

// Restores the kubelet's configuration and arguments that the record's upgrade kept (mode 0644).
// Throws base::Error(kNotFound) if the copy is missing.
void PutBackKubeletConfig(const Record& record, host::Files& files);

}  // namespace upgrade
