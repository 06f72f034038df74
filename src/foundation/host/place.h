// SPDX-License-Identifier: Apache-2.0
// The name of a file in an open directory, and the way to it; for the inside of this room.
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

// Place is the name of a file in an open directory. What is done by both of them is done there,
// whatever is renamed or linked in the meantime.
struct Place {
  Descriptor directory;  // O_PATH
  std::string name;      // "." for the directory itself
  fs::path path;         // of both, for messages
  bool by_link = false;  // a symbolic link was followed on the way

  // Stat is fstatat(2) of the name; errno tells why there is no result.
  std::optional<struct stat> Stat(int flags = AT_SYMLINK_NOFOLLOW) const;
  // Open is openat(2) of the name. O_CLOEXEC is always added.
  Descriptor Open(int flags, mode_t mode = 0) const;
};

struct PlaceOptions {
  std::string_view verb = "write";  // for messages
  // The last part of the path: a link there is kept (it is what is removed or renamed), or followed
  // to its target (which is what is written), or the directory of that name is entered.
  enum class Last { kKeep, kFollow, kEnter } last = Last::kKeep;
  std::optional<unsigned> make = {};  // mode of missing directories, which are not made when unset
  bool secret = false;                // kFollow goes through no link of another user at all
  bool sync = false;                  // made directories are synced to the disk
};

// FindPlace walks to `path`, a location of the machine itself, and follows the links that `rule`
// lets it follow. Returns errno when a directory on the way cannot be entered. Throws
// base::Error(kInvalid or kForbidden) for a link that is not followed, kNotFound for a link into a
// directory that does not exist where directories are made.
std::expected<Place, int> FindPlace(const fs::path& path, const LinkRule& rule,
                                    const PlaceOptions& options);

// RequirePlace is FindPlace of a path of `files`. Throws base::Error naming path and cause.
Place RequirePlace(const Files& files, const fs::path& path, const PlaceOptions& options);

// LinkText returns the target of the symbolic link `name`; std::nullopt if it is not a link.
std::optional<fs::path> LinkText(int directory, const std::string& name);

// IsRootsAlone returns true when only root can put entries into the directory.
bool IsRootsAlone(const struct stat& directory);

// SyncEntries: what was made or removed in a directory outlives a power cut. False, with errno,
// when that is not sure.
bool SyncEntries(int directory);

}  // namespace host
