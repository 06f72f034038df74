// SPDX-License-Identifier: Apache-2.0
// The files and directories that a reset removes (reference: upgrade-reset.md §8).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "host/remove_tree.h"

namespace reset {

namespace fs = std::filesystem;

// Directories of a node. Reset empties them, and keeps the directories themselves.
struct Places {
  std::vector<fs::path> contents;  // directories to empty
  std::vector<fs::path> files;
  std::vector<std::string> kept;  // unchanged directories, with the reason
};

Places PlacesOf(const config::ResetConfiguration& config);

// Returns why a directory must not be emptied, whatever the configuration says: the path is not
// absolute, or other programs have files in the directory, too. Returns std::nullopt if the
// directory may be emptied.
std::optional<std::string> WhyKept(const fs::path& directory);

// Returns the directory from which the reset would remove a file at `path`. Returns std::nullopt if
// the reset would keep the file.
std::optional<fs::path> EmptiedParent(const host::Files& files, const fs::path& path,
                                      const config::ResetConfiguration& config);

// Returns the rules by which reset empties a directory. A plain directory that kubeadm has chosen
// contains only files of the node and is emptied completely. In other directories only Kubernetes'
// recognizable files are removed. These directories are mount points, directories behind a link,
// and unusual places that a configuration has chosen for certificates or etcd's data.
//
// The recognizable files are: `member`, its copies and `etcd-backup*` in etcd's directory; the
// kubelet's and kubeadm's files in the kubelet's directory; manifests, by their names; and the
// certificates (certs::Tree) with their requests, the service account keys and the files of a
// rotation.
host::EmptyOptions RulesFor(const host::Files& files, const fs::path& directory,
                            const config::ResetConfiguration& config);

// Removes the content of a directory by the rules. Does not follow links and does not enter mounts
// below the directory. A missing directory is not an error. Returns the kept entries with the
// reasons.
std::vector<std::string> Empty(const host::Files& files, const fs::path& directory,
                               const config::ResetConfiguration& config);

// Removes the files that exist; returns failures with their reasons.
std::vector<std::string> Remove(host::Files& files, const std::vector<fs::path>& paths);

// Returns the files in workflow::kDirectory about changes to this node in its old cluster. They
// must be removed: in its next cluster, the node must neither resume these changes nor roll them
// back.
std::vector<fs::path> JournalFiles(const host::Files& files);

// Returns the directories with copies of this node's keys and kubeconfigs, which must be removed
// with their originals. They come from rotate-ca, readdress, rename, endpoint, config apply,
// recover, restore and dry runs. Also returns snapshots of etcd that a killed restore or
// verification left, and the backups that upgrades made. Every other directory stays, including
// directories of users and the backups of manifests and patches.
std::vector<fs::path> CredentialCopies(const host::Files& files);

// Returns the entries of a directory; an empty list if it does not exist or is a file.
std::vector<std::string> NamesIn(const host::Files& files, const fs::path& directory);

// Returns whether the directory does not exist or is empty.
bool IsEmpty(const host::Files& files, const fs::path& directory);

}  // namespace reset
