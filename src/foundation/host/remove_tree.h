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

// Deletes the location and everything below it. Never follows a link, neither at the location nor
// below it. Never enters a mount, not even a mount at the location itself or a bind mount of the
// same file system. Deletes as much as possible. Then throws base::Error naming the first obstacle,
// with the system error's kind.
void RemoveTree(const Place& place);

// RequireRemovable throws base::Error(kInvalid) for the root and a path with a part "." or "..".
void RequireRemovable(const fs::path& path);

// Selects the entries to delete, by their paths in the directory ("etcd/ca.crt"). With an entry,
// everything below it and leftovers of killed writes next to it are deleted. The directories
// between the emptied directory and an entry are deleted if they become empty.
struct EmptyOptions {
  // Directories that are never emptied, whichever path reaches them (a bind mount, a link).
  std::vector<fs::path> never = {};
  // The only entries that are deleted. Unset: all.
  std::optional<std::vector<fs::path>> only = {};
  // If the directory is a mount point or is reached through a link, only these entries are deleted.
  std::vector<fs::path> recognized = {};
};

// Deletes the selected entries (all by default) of a directory of the machine that `files` work on.
// The directory stays, and so does a link to it. Enters no mount and follows no link below the
// directory. Returns a sentence for each kept entry, with the reason. A missing directory counts as
// empty. Throws base::Error(kInvalid) for a relative path.
std::vector<std::string> EmptyDirectory(const Files& files, const fs::path& path,
                                        const EmptyOptions& options = {});

}  // namespace host
