// SPDX-License-Identifier: Apache-2.0
// Symbolic links.
#pragma once

#include <optional>

#include "host/files.h"

namespace host {

// Returns the target of a symbolic link as stored; std::nullopt if the path is not a link.
std::optional<fs::path> FindLinkTarget(const Files& files, const fs::path& path);

// Atomically makes `path` a symbolic link to `target` (stored as given). Replaces an existing file
// or link, but not a directory. Throws base::Error with the kind of the system's error and its
// reason.
void ReplaceByLink(Files& files, const fs::path& path, const fs::path& target);

}  // namespace host
