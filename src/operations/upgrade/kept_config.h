// SPDX-License-Identifier: Apache-2.0
// Copies of a node's configuration for the rollback of an upgrade, in directories below
// /etc/kubernetes/tmp (reference: upgrade-reset.md §5).
#pragma once

#include <string>
#include <string_view>

#include "control_plane/record.h"
#include "host/files.h"
#include "host/host.h"

namespace upgrade {

inline constexpr std::string_view kPatchesBackup = "kubeadm-backup-patches";
inline constexpr std::string_view kKubeletConfigBackup = "kubeadm-kubelet-config";

// Copies kube-proxy's patches from the user's directory into a backup directory, because other
// users may be able to write to the user's directory. Returns the backup directory; "" without such
// patches.
std::string KeepProxyPatches(host::Host& host, const host::fs::path& from);

// Copies the kubelet's configuration and the file of its arguments into the directory. The record
// stores the first directory only, because a rollback restores the state from before the first run.
// If the node has no such configuration, makes no copy.
void KeepKubeletConfig(host::Files& files, const host::fs::path& directory,
                       control_plane::UpgradeRecord& record);

// Restores the copy of the kubelet's configuration and arguments that the record's upgrade made
// (mode 0644). Throws base::Error(kNotFound) if the copy is missing.
void PutBackKubeletConfig(const control_plane::UpgradeRecord& record, host::Files& files);

}  // namespace upgrade
