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

// RulesFor are the bounds within which reset empties a directory. What the kubelet and etcd keep is
// this node's alone, also on a disk of its own; the certificates may be of several nodes, so that
// theirs is left alone when it is a mount point. Where a configuration has put certificates or
// etcd's data elsewhere than usual, only what kubeadm and etcd make there goes: the files of the
// certificates (certs::Tree) with their requests, the service account keys and a rotation's, and
// `member`.
host::EmptyOptions RulesFor(const fs::path& directory, const config::ResetConfiguration& config);

// Empty removes, within the rules for it, what is in a directory, without following links, its own
// path's included, and without entering what is mounted there. One that does not exist is fine.
// Returns what was kept and why.
std::vector<std::string> Empty(const host::Files& files, const fs::path& directory,
                               const config::ResetConfiguration& config);

// Remove removes files, those that exist; returns what could not be removed and why.
std::vector<std::string> Remove(host::Files& files, const std::vector<fs::path>& paths);

// JournalFiles are all that lies in state_files::kDirectory of what was done to this node as one of
// the cluster that goes: the next cluster must not go on by it, nor go back.
std::vector<fs::path> JournalFiles(const host::Files& files);

// RotationCopies are the directories in which rotations have kept what was before (ca_rotation):
// the private keys of the cluster's CAs among it, which must not outlive their own directory.
std::vector<fs::path> RotationCopies(const host::Files& files);

// NamesIn is what lies in a directory; nothing when there is none or a file stands in its place.
std::vector<std::string> NamesIn(const host::Files& files, const fs::path& directory);

// IsEmpty tells whether there is no such directory or nothing in it.
bool IsEmpty(const host::Files& files, const fs::path& directory);

}  // namespace reset
