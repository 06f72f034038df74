// SPDX-License-Identifier: Apache-2.0
// Removal of directories by descriptors, which is safe against concurrent renames, links and
// mounts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

struct Place;

// Deletes the location and everything below it. Never follows a link in its last part or below.
// Never enters a mount, not even one on the location itself or a bind mount of the same file
// system. Deletes as much as possible; then throws base::Error naming the first obstacle, with the
// system error's kind.
void RemoveTree(const Place& place);

// RequireRemovable throws base::Error(kInvalid) for the root and a path with a part "." or "..".
void RequireRemovable(const fs::path& path);

// Entries are given by their paths in the directory ("etcd/ca.crt"). Also deleted are everything
// below an entry, leftovers of killed writes next to it, and the directories between if they become
// empty.
struct EmptyOptions {
  // Directories that are never emptied, whichever path reaches them (a bind mount, a link).
  std::vector<fs::path> never = {};
  // The only entries that are deleted. Unset: all.
  std::optional<std::vector<fs::path>> only = {};
  // The only entries that are deleted if the directory is a mount point or is reached through a
  // link.
  std::vector<fs::path> recognized = {};
};

// Deletes the selected entries (all by default) of a directory of the machine that `files` work on;
// the directory, and a link to it, stay. Enters no mount and follows no link below it. Returns the
// kept entries with the reason, a sentence each; a missing directory is fine. Throws
// base::Error(kInvalid) for a relative path.
std::vector<std::string> EmptyDirectory(const Files& files, const fs::path& path,
                                        const EmptyOptions& options = {});

}  // namespace host
