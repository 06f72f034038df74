// SPDX-License-Identifier: Apache-2.0
#include "host/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

#include "base/strings.h"
#include "host/descriptor.h"
#include "host/mount_id.h"
#include "host/place.h"
#include "host/temporary_file.h"

namespace host {
namespace {

constexpr int kDeepest = 100;             // twice as many descriptors are open at a time
constexpr int kMostPasses = 8;            // for a directory that another process fills concurrently
constexpr std::size_t kMostReasons = 20;  // reported one by one
constexpr std::size_t kMostNames = 10;    // foreign entries that a message names

constexpr int kOpenFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// An open directory; `path` is for messages.
struct Directory {
  Descriptor fd;
  MountId mount;
  fs::path path;
  int depth = 0;
};

// Reads the names in a directory, repeatedly if needed.
class Entries {
 public:
  // errno has the reason if it is not valid.
  explicit Entries(const Directory& directory) {
    const int fd = ::openat(directory.fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    stream_.reset(fd < 0 ? nullptr : ::fdopendir(fd));
  }

  bool valid() const { return stream_ != nullptr; }
  void Rewind() { ::rewinddir(stream_.get()); }
  // Returns "" at the end.
  std::string Next() {
    while (const dirent* entry = ::readdir(stream_.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        return std::string(name);
      }
    }
    return "";
  }

 private:
  struct Close {
    void operator()(DIR* dir) const { ::closedir(dir); }
  };
  std::unique_ptr<DIR, Close> stream_;
};

class Remover {
 public:
  // Deletes an entry of a directory; returns false if it, or something below it, still exists.
  bool Remove(const Directory& parent, const std::string& name) {
    const fs::path path = parent.path / name;
    if (::unlinkat(parent.fd.get(), name.c_str(), 0) == 0 || errno == ENOENT) {
      return true;
    }
    if (errno != EISDIR && errno != EPERM) {  // POSIX returns EPERM where Linux returns EISDIR
      return Note(path, errno);
    }
    const int unlink_error = errno;
    Descriptor fd(::openat(parent.fd.get(), name.c_str(), kOpenFlags));
    if (!fd.valid()) {
      return Note(path, errno == ENOTDIR ? unlink_error : errno);
    }
    if (MountOf(fd.get()) != parent.mount) {
      return Keep(path, "something else is mounted there");
    }
    if (parent.depth == kDeepest) {
      return MoveUp(parent, name);
    }
    if (!Empty({.fd = std::move(fd),
                .mount = parent.mount,
                .path = path,
                .depth = parent.depth + 1})) {
      return false;
    }
    return ::unlinkat(parent.fd.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT ||
           Note(path, errno);
  }

  // Deletes all entries; returns false if some still exist.
  bool Empty(const Directory& directory) {
    Entries entries(directory);
    if (!entries.valid()) {
      return Note(directory.path, errno);
    }
    top_ = top_ == nullptr ? &directory : top_;
    // Deletions change the order of the entries, so one pass may miss some. Deep directories are
    // moved up during a pass.
    bool all = true;
    bool found = true;
    for (int pass = 0; pass < kMostPasses && all && found;) {
      const int moved = moved_;
      found = false;
      entries.Rewind();
      for (std::string name = entries.Next(); !name.empty(); name = entries.Next()) {
        found = true;
        all = Remove(directory, name) && all;
      }
      pass += moved == moved_ ? 1 : 0;
    }
    return all;
  }

  // Deletes the entries `wanted`, given by their paths in the directory, and leftovers.
  void EmptyOnly(const Directory& directory, const std::vector<fs::path>& wanted) {
    Entries entries(directory);
    if (!entries.valid()) {
      Note(directory.path, errno);
      return;
    }
    std::vector<std::string> names;
    for (std::string name = entries.Next(); !name.empty(); name = entries.Next()) {
      names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const std::vector<fs::path> below = Below(wanted, name);
      if (std::ranges::find(wanted, fs::path(name)) != wanted.end()) {
        top_ = nullptr;  // each entry is a separate tree
        Remove(directory, name);
      } else if (!below.empty()) {
        EmptyOnlyIn(directory, name, below);
      } else if (name == kLostAndFound) {
        continue;
      } else if (!IsLeftoverName(name) || ::unlinkat(directory.fd.get(), name.c_str(), 0) != 0) {
        foreign_.push_back(directory.path / name);
      }
    }
  }

  // Returns the entries that EmptyOnly left alone.
  const std::vector<fs::path>& foreign() const { return foreign_; }
  // Returns the reasons for kept entries, the innermost first.
  std::vector<base::Error>& reasons() { return reasons_; }
  std::size_t untold() const { return untold_; }

 private:
  // Returns the wanted paths in directory `name`.
  static std::vector<fs::path> Below(const std::vector<fs::path>& wanted, const fs::path& name) {
    std::vector<fs::path> below;
    for (const fs::path& path : wanted) {
      if (path.has_parent_path() && *path.begin() == name) {
        below.push_back(path.lexically_relative(name));
      }
    }
    return below;
  }

  void EmptyOnlyIn(const Directory& parent, const std::string& name,
                   const std::vector<fs::path>& wanted) {
    const fs::path path = parent.path / name;
    Descriptor fd(::openat(parent.fd.get(), name.c_str(), kOpenFlags));
    if (!fd.valid()) {
      Note(path, errno);
    } else if (MountOf(fd.get()) != parent.mount) {
      Keep(path, "something else is mounted there");
    } else {
      const Directory directory{.fd = std::move(fd), .mount = parent.mount, .path = path};
      EmptyOnly(directory, wanted);
      // The directory stays if it is not empty.
      if (::unlinkat(parent.fd.get(), name.c_str(), AT_REMOVEDIR) != 0) {
        SyncEntries(directory.fd.get());
      }
    }
  }

  // Moves a directory that is too deep up into the top directory. The top directory is finished
  // only when the moved directory has been processed, too.
  bool MoveUp(const Directory& parent, const std::string& name) {
    const std::string aside = fmt::format(".slipway-deep-{}-{}", ::getpid(), moved_++);
    return ::renameat(parent.fd.get(), name.c_str(), top_->fd.get(), aside.c_str()) == 0 ||
           Note(parent.path / name, errno);
  }

  bool Note(const fs::path& path, int error) {
    return Add(SystemError(fmt::format("cannot remove {}", path.string()), error));
  }

  bool Keep(const fs::path& path, std::string_view why) {
    return Add(base::Error(fmt::format("cannot remove {}: {}", path.string(), why)));
  }

  bool Add(base::Error error) {
    if (reasons_.size() < kMostReasons) {
      reasons_.push_back(std::move(error));
    } else {
      ++untold_;
    }
    return false;
  }

  const Directory* top_ = nullptr;
  int moved_ = 0;
  std::vector<base::Error> reasons_;
  std::vector<fs::path> foreign_;
  std::size_t untold_ = 0;
};

bool IsDots(const fs::path& part) { return part == "." || part == ".."; }

bool SameDirectory(int fd, const fs::path& path) {
  struct stat one{};
  struct stat other{};
  return ::fstat(fd, &one) == 0 && ::stat(path.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// If the directory is one of `options.never` under another name, returns its name there.
std::optional<fs::path> Shared(const Files& files, int fd, const EmptyOptions& options) {
  const auto found = std::ranges::find_if(options.never, [&](const fs::path& shared) {
    return SameDirectory(fd, files.Location(shared));
  });
  return found == options.never.end() ? std::nullopt : std::optional(*found);
}

// Empties the directory. Throws base::Error if it leaves the directory unchanged.
void EmptyPlace(const Files& files, const Place& place, const EmptyOptions& options,
                Remover& remover) {
  Descriptor fd = place.Open(kOpenFlags);
  if (!fd.valid()) {
    throw SystemError(fmt::format("cannot list {}", place.path.string()), errno);
  }
  if (const auto shared = Shared(files, fd.get(), options)) {
    throw base::Error(fmt::format("the contents of {} are kept: it is {} under another name",
                                  place.path.string(), shared->string()));
  }
  const MountId mount = MountOf(fd.get());
  const bool elsewhere = place.by_link || MountOf(place.directory.get()) != mount;
  const Directory directory{.fd = std::move(fd), .mount = mount, .path = place.path};
  if (elsewhere || options.only) {
    remover.EmptyOnly(directory, elsewhere ? options.recognized : *options.only);
  } else {
    remover.Empty(directory);
  }
  SyncEntries(directory.fd.get());
}

// Returns a sentence that names the entries which were not selected.
std::string WhatIsForeign(const fs::path& directory, const std::vector<fs::path>& foreign) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(foreign.size(), kMostNames); ++i) {
    names.push_back(base::Quoted(foreign[i].lexically_relative(directory).string()));
  }
  const std::string more =
      foreign.size() > kMostNames ? fmt::format(" and {} more", foreign.size() - kMostNames) : "";
  return fmt::format("files that other programs may need are kept in {}: {}{}", directory.string(),
                     base::Join(names, ", "), more);
}

}  // namespace

void RequireRemovable(const fs::path& path) {
  if (path.relative_path().empty() || std::ranges::any_of(path, IsDots)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("refusing to remove {}", path.string()));
  }
}

void RemoveTree(const Place& place) {
  Descriptor fd(::openat(place.directory.get(), ".", kOpenFlags));
  const MountId mount = MountOf(fd.get());
  Remover remover;
  if (!remover.Remove({.fd = std::move(fd), .mount = mount, .path = place.path.parent_path()},
                      place.name)) {
    throw base::Error(remover.reasons().front());
  }
}

std::vector<std::string> EmptyDirectory(const Files& files, const fs::path& path,
                                        const EmptyOptions& options) {
  if (!path.is_absolute()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is not an absolute path", path.string()));
  }
  // Resolves ".." lexically, as the caller's checks do. A link can then not change the meaning of
  // "..".
  const fs::path normal = path.lexically_normal();
  fs::path real = files.Location(normal.has_filename() ? normal : normal.parent_path());
  std::vector<std::string> kept;
  Remover remover;
  try {
    const Place place =
        RequirePlace(files, normal, {.verb = "empty", .last = PlaceOptions::Last::kFollow});
    real = place.path;
    EmptyPlace(files, place, options, remover);
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kNotFound) {
      kept.push_back(error.message());
    }
  }
  for (const base::Error& reason : remover.reasons()) {
    kept.push_back(reason.message());
  }
  if (remover.untold() > 0) {
    kept.push_back(
        fmt::format("{} further entries below {} are kept", remover.untold(), real.string()));
  }
  if (!remover.foreign().empty()) {
    kept.push_back(WhatIsForeign(real, remover.foreign()));
  }
  return kept;
}

}  // namespace host
