// Removing a whole folder; for the inside of this room.
#pragma once

#include <filesystem>

namespace host {

// RemoveTree deletes `path` and all below it. It works by descriptors and never follows a link, so
// nothing outside can be swapped in; it does not enter another mount, even a bind mount of the same
// file system. All that can go goes; then base::Error names the first obstacle. A path that does
// not exist is fine.
void RemoveTree(const std::filesystem::path& path);

}  // namespace host
