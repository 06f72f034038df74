// SPDX-License-Identifier: Apache-2.0
// Copies of what an upgrade replaces, in directories below /etc/kubernetes/tmp (reference:
// upgrade-reset.md §5).
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

// EtcdData is what is to be copied: the files of a member that may be writing them.
struct EtcdData {
  host::fs::path directory;
  // Hands the database on as it is at one moment (etcd::Client::Snapshot); empty where the member
  // does not run: then its files are as they are.
  std::function<void(const base::TakeBytes& take)> snapshot = {};
};

// CopyEtcdData copies etcd's data into `directory`, as its subdirectory "etcd", so that an etcd
// serves with them. Throws base::Error before anything is written when the disk has no room for
// it, and kConflict when another process uses files that are copied as they are; what was written
// of a copy that failed is taken away.
void CopyEtcdData(host::Host& host, const EtcdData& data, const host::fs::path& directory);

// CanRestoreEtcdData is whether there is such a copy and all that a member needs is in it: the log
// is not where etcd keeps it elsewhere (--wal-dir).
bool CanRestoreEtcdData(const host::Files& files, const host::fs::path& directory);

// RestoreEtcdData puts such a copy in the place of what the data directory holds now, which is kept
// beside it as "NAME.failed-upgrade", or with a number after that where it is taken. Killed in the
// midst it loses nothing, and may be called again. It takes the lock that an etcd holds on its
// database, whatever Pod or process that etcd is, and waits a minute for it. Throws
// base::Error(kConflict), and has changed nothing, when an etcd still runs on the data directory.
void RestoreEtcdData(host::Host& host, const host::fs::path& directory,
                     const host::fs::path& data_dir, const std::stop_token& stop = {});

// KeepProxyPatches copies the patches of kube-proxy out of a directory that the user named, which
// others may write to later, into a backup, and returns that; "" when there is none.
std::string KeepProxyPatches(host::Host& host, const host::fs::path& from);

// KeepKubeletConfig copies the kubelet's configuration, and the file of its arguments, into the
// directory, which the record remembers when it has none yet: the state to go back to is that of
// before the first run. Without a configuration there is nothing to go back to.
void KeepKubeletConfig(host::Files& files, const host::fs::path& directory, Record& record);

// PutBackKubeletConfig restores the kubelet's configuration and arguments that the record's upgrade
// kept (mode 0644). Throws base::Error(kNotFound) when the copy is gone.
void PutBackKubeletConfig(const Record& record, host::Files& files);

}  // namespace upgrade
