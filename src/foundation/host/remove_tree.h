// SPDX-License-Identifier: Apache-2.0
// Removing directories by descriptors: what is removed is what was looked at, whatever is renamed,
// linked or mounted meanwhile.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

// RemoveTree deletes `path` and all below it. It never follows a link in its last part or below
// and never enters a mount, not even one on `path` itself or a bind mount of the same file system.
// All that can go goes; then base::Error names the first obstacle. A path that does not exist is
// fine; one with a part "." or ".." and the root are refused, with nothing removed.
void RemoveTree(const std::filesystem::path& path);

// OwnMount says what becomes of a directory that is a mount point itself. kEnterDisk takes a file
// system of its own as the disk made for this directory, and a directory of another place as
// somebody else's; kKeep takes both so. kEnter is for callers who know that all that is there is
// theirs.
enum class OwnMount { kEnter, kEnterDisk, kKeep };

struct EmptyOptions {
  OwnMount own_mount = OwnMount::kKeep;
  // Directories that are not emptied under whatever name they are reached (a bind mount).
  std::vector<fs::path> never;
  // The only entries that go, each with all below it, told by their paths in the directory
  // ("etcd/ca.crt"); with them what killed writes left beside them, and the directories between
  // when nothing is left in those. Unset: all.
  std::optional<std::vector<fs::path>> only;
};

// EmptyDirectory deletes what the options say (all) in a directory of the machine that `files` work
// on; the directory stays. No part of its path may be a symbolic link, and nothing below it that is
// mounted is entered. Returns what was kept and why, a sentence each; one that does not exist is
// fine. Throws base::Error for a path that is not absolute.
std::vector<std::string> EmptyDirectory(const Files& files, const fs::path& path,
                                        const EmptyOptions& options = {});

}  // namespace host
