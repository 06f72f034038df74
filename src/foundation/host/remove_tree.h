// SPDX-License-Identifier: Apache-2.0
// Removing directories by descriptors: what is removed is what was looked at, whatever is renamed,
// linked or mounted meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

struct Place;

// RemoveTree deletes what is at the place and all below it. It never follows a link in its last
// part or below and never enters a mount, not even one on the place itself or a bind mount of the
// same file system. All that can go goes; then base::Error names the first obstacle.
void RemoveTree(const Place& place);

// RequireRemovable throws base::Error(kInvalid) for the root and a path with a part "." or "..".
void RequireRemovable(const fs::path& path);

// EmptyOptions tell entries by their paths in the directory ("etcd/ca.crt"); each goes with all
// below it, and with them go what killed writes left beside them, and the directories between when
// nothing is left in those.
struct EmptyOptions {
  // Directories that are not emptied under whatever name they are reached (a bind mount, a link).
  std::vector<fs::path> never = {};
  // The only entries that go from a directory of this place. Unset: all.
  std::optional<std::vector<fs::path>> only = {};
  // The only entries that go where the directory is a mount point or is reached through a link.
  std::vector<fs::path> recognized = {};
};

// EmptyDirectory deletes what the options say (all) in a directory of the machine that `files` work
// on; the directory, and a link to it, stay. Nothing below it that is mounted is entered, and no
// link below it is followed. Returns what was kept and why, a sentence each; one that does not
// exist is fine. Throws base::Error for a path that is not absolute.
std::vector<std::string> EmptyDirectory(const Files& files, const fs::path& path,
                                        const EmptyOptions& options = {});

}  // namespace host
