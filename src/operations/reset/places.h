// SPDX-License-Identifier: Apache-2.0
// What a reset removes (reference: upgrade-reset.md §8).
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

// Places of a node. Directories stay themselves, empty.
struct Places {
  std::vector<fs::path> contents;  // directories whose contents go
  std::vector<fs::path> files;
  std::vector<std::string> kept;  // directories that are not touched, and why
};

Places PlacesOf(const config::ResetConfiguration& config);

// WhyKept tells why a directory must not be emptied, whatever the configuration says: the system
// has its own files there. Nothing when it may be.
std::optional<std::string> WhyKept(const fs::path& directory);

// RulesFor are the bounds within which reset empties a directory. Plain directories that kubeadm
// has chosen are a node's alone and go whole. Only what is recognizably Kubernetes' goes where the
// directory is a mount point or is reached through a link, or where a configuration has put
// certificates or etcd's data elsewhere than usual: of etcd `member`, copies of it and
// `etcd-backup*`; what a kubelet and kubeadm write into the kubelet's directory; manifests by their
// names; the files of the certificates (certs::Tree) with their requests, the service account keys
// and a rotation's.
host::EmptyOptions RulesFor(const host::Files& files, const fs::path& directory,
                            const config::ResetConfiguration& config);

// Empty removes, within the rules for it, what is in a directory, without following links below it
// and without entering what is mounted below it. One that does not exist is fine. Returns what was
// kept and why.
std::vector<std::string> Empty(const host::Files& files, const fs::path& directory,
                               const config::ResetConfiguration& config);

// Remove removes files, those that exist; returns what could not be removed and why.
std::vector<std::string> Remove(host::Files& files, const std::vector<fs::path>& paths);

// JournalFiles are all that lies in state_files::kDirectory of what was done to this node as one of
// the cluster that goes: the next cluster must not go on by it, nor go back.
std::vector<fs::path> JournalFiles(const host::Files& files);

// CredentialCopies are the directories in which commands have kept, or tried out, keys and
// kubeconfigs of this node (rotate-ca, readdress, rename, endpoint, config apply, recover, dry
// runs): they must not outlive what they are copies of. Every other directory stays, a user's and
// the backups of etcd's data, manifests and patches among them.
std::vector<fs::path> CredentialCopies(const host::Files& files);

// NamesIn is what lies in a directory; nothing when there is none or a file stands in its place.
std::vector<std::string> NamesIn(const host::Files& files, const fs::path& directory);

// IsEmpty tells whether there is no such directory or nothing in it.
bool IsEmpty(const host::Files& files, const fs::path& directory);

}  // namespace reset
