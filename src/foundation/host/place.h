// SPDX-License-Identifier: Apache-2.0
// A file name in an open directory, and the lookup that opens the directory. Internal to this
// library.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "host/descriptor.h"
#include "host/files.h"

namespace host {

// The name of a file in an open directory. Operations on the directory's descriptor and this name
// are not affected by concurrent renames or links.
struct Place {
  Descriptor directory;  // O_PATH
  std::string name;      // "." for the directory itself
  fs::path path;         // directory and name, for messages
  bool by_link = false;  // a symbolic link was followed on the way

  // Calls fstatat(2) for the name; errno has the reason for std::nullopt.
  std::optional<struct stat> Stat(int flags = AT_SYMLINK_NOFOLLOW) const;
  // Open is openat(2) of the name. O_CLOEXEC is always added.
  Descriptor Open(int flags, mode_t mode = 0) const;
};

struct PlaceOptions {
  std::string_view verb = "write";  // for messages
  // The treatment of the last part of the path. kKeep: a link there is not followed (to remove or
  // rename the link). kFollow: a link is followed to its target (to write the target). kEnter:
  // opens the directory of that name.
  enum class Last { kKeep, kFollow, kEnter } last = Last::kKeep;
  // The mode of missing directories. If it is not set, they are not created.
  std::optional<unsigned> make = {};
  bool secret = false;  // with kFollow, refuses links of other users in every directory
  bool sync = false;    // created directories are synced to the disk
};

// Finds the place of `path`, a location of the machine itself. Follows only links that `rule`
// allows. Returns errno if a directory on the way cannot be entered. Throws base::Error(kInvalid or
// kForbidden) for a link that must not be followed. Throws base::Error(kNotFound) for a link into a
// missing directory if directories are created.
std::expected<Place, int> FindPlace(const fs::path& path, const LinkRule& rule,
                                    const PlaceOptions& options);

// RequirePlace calls FindPlace for a path of `files`. Throws base::Error naming path and cause,
// with FindPlace's kind or the system error's kind.
Place RequirePlace(const Files& files, const fs::path& path, const PlaceOptions& options);

// LinkText returns the target of the symbolic link `name`; std::nullopt if it is not a link.
std::optional<fs::path> LinkText(int directory, const std::string& name);

// IsRootsAlone returns true when only root can put entries into the directory.
bool IsRootsAlone(const struct stat& directory);

// Syncs a directory, so that created and removed entries survive a power failure. Returns false,
// with errno, if the sync fails.
bool SyncEntries(int directory);

}  // namespace host
