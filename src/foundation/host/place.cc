// SPDX-License-Identifier: Apache-2.0
#include "host/place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <deque>
#include <system_error>
#include <utility>

namespace host {
namespace {

using Last = PlaceOptions::Last;

constexpr int kMaxLinks = 40;  // as the kernel's limit
constexpr int kDirectoryFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

bool IsOurs(const struct stat& found) { return found.st_uid == 0 || found.st_uid == ::geteuid(); }

fs::path DirectoryOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Opens a directory with one system call if no part of its path is a link. Kernels before 5.6 lack
// this call, and a seccomp filter that does not know the call forbids it.
Descriptor OpenWithoutLinks(const fs::path& directory) {
  open_how how{};
  how.flags = kDirectoryFlags;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return Descriptor(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, directory.c_str(), &how, sizeof how)));
}

// Refuses to create the missing target of a link. The target may be in a file system that is not
// mounted now. If that file system were mounted afterwards, it would hide the data in a created
// directory.
[[noreturn]] void FailOfTarget(const PlaceOptions& options, const fs::path& path,
                               const fs::path& directory) {
  throw base::Error(base::Error::Kind::kNotFound,
                    fmt::format("cannot {} {}: it is a link into {}, which does not exist",
                                options.verb, path.string(), directory.string()));
}

[[noreturn]] void FailToMake(const fs::path& directory) {
  throw SystemError(fmt::format("cannot make directory {}", directory.string()), errno);
}

// Opens one directory after the other, and checks each link before it follows it.
class Walk {
 public:
  Walk(const fs::path& path, const LinkRule& rule, const PlaceOptions& options)
      : path_(path), rule_(rule), options_(options) {
    Begin(path);
    for (const fs::path& part : path.relative_path()) {
      Push(part, false);
    }
  }

  std::expected<Place, int> Go() {
    while (here_.valid() && !ahead_.empty()) {
      const Part part = std::move(ahead_.front());
      ahead_.pop_front();
      const bool last = ahead_.empty() && options_.last != Last::kEnter && part.name != "..";
      if (last && options_.last == Last::kKeep) {
        return Found(part.name);
      }
      if (const auto target = LinkText(here_.get(), part.name)) {
        Follow(part.name, *target);
      } else if (last) {
        return Found(part.name);
      } else if (!Enter(part)) {
        return std::unexpected(errno);
      }
    }
    return here_.valid() ? std::expected<Place, int>(Found(".")) : std::unexpected(errno);
  }

 private:
  struct Part {
    std::string name;
    bool of_link;
  };

  void Push(const fs::path& part, bool of_link) {
    if (!part.empty() && part != ".") {
      ahead_.push_back({part.string(), of_link});
    }
  }

  void Begin(const fs::path& path) {
    so_far_ = path.is_absolute() ? "/" : ".";
    safe_ = path.is_absolute();
    here_ = Descriptor(::open(so_far_.c_str(), kDirectoryFlags));
    Judge();
  }

  Place Found(const std::string& name) {
    return {.directory = std::move(here_),
            .name = name,
            .path = name == "." ? so_far_ : so_far_ / name,
            .by_link = links_ > 0};
  }

  // Checks whether another user could replace entries of `here_`.
  void Judge() {
    struct stat found{};
    const bool known = here_.valid() && ::fstat(here_.get(), &found) == 0;
    const unsigned others = S_IWOTH | (found.st_gid == 0 ? 0U : S_IWGRP);
    safe_ = safe_ && known && found.st_uid == 0 &&
            ((found.st_mode & others) == 0U || (found.st_mode & S_ISVTX) != 0U);
    roots_ = safe_ && IsRootsAlone(found);
  }

  void Follow(const std::string& name, const fs::path& target) {
    struct stat link{};
    const fs::path link_path = so_far_ / name;
    if (::fstatat(here_.get(), name.c_str(), &link, AT_SYMLINK_NOFOLLOW) != 0 || !roots_ ||
        !rule_.owner(link.st_uid)) {
      throw base::Error(
          base::Error::Kind::kInvalid,
          fmt::format("cannot {} {}: {} is a symbolic link that a user other than root may have "
                      "made; put a directory or a file in its place, or let root own it in a "
                      "directory that only root can write",
                      options_.verb, path_.string(), link_path.string()));
    }
    if (++links_ > kMaxLinks) {
      throw SystemError(fmt::format("cannot {} {}", options_.verb, path_.string()), ELOOP);
    }
    const std::deque<Part> rest = std::exchange(ahead_, {});
    for (const fs::path& part : target.relative_path()) {
      Push(part, true);
    }
    ahead_.insert(ahead_.end(), rest.begin(), rest.end());
    if (target.is_absolute()) {
      Begin(target);
    }
  }

  bool Enter(const Part& part) {
    const char* name = part.name.c_str();
    Descriptor next(::openat(here_.get(), name, kDirectoryFlags | O_NOFOLLOW));
    if (!next.valid() && errno == ENOENT && options_.make) {
      if (part.of_link) {
        FailOfTarget(options_, path_, so_far_ / part.name);
      }
      // Another thread or process may have created it concurrently.
      if (::mkdirat(here_.get(), name, *options_.make) != 0 && errno != EEXIST) {
        FailToMake(so_far_ / part.name);
      }
      if (options_.sync && !SyncEntries(here_.get())) {
        return false;
      }
      next = Descriptor(::openat(here_.get(), name, kDirectoryFlags | O_NOFOLLOW));
    }
    if (!next.valid()) {
      return false;
    }
    here_ = std::move(next);
    so_far_ = part.name == ".." ? (so_far_ / part.name).lexically_normal() : so_far_ / part.name;
    Judge();
    return true;
  }

  const fs::path& path_;
  const LinkRule& rule_;
  const PlaceOptions& options_;
  std::deque<Part> ahead_;
  Descriptor here_;
  fs::path so_far_;
  int links_ = 0;
  bool safe_ = true;    // only root can have exchanged the directories up to here
  bool roots_ = false;  // only root can add an entry to the current directory
};

// Throws if another user has put a link or a pipe into a world-writable directory. The kernel
// settings fs.protected_symlinks and fs.protected_fifos do the same, but they may be off, and do
// not cover a rename. With `anywhere`, throws for such a link or pipe in any directory.
void RefuseForeign(const fs::path& path, const struct stat& found, bool anywhere) {
  struct stat directory{};
  if (IsOurs(found) || ::stat(DirectoryOf(path).c_str(), &directory) != 0) {
    return;
  }
  const bool shared = (directory.st_mode & S_ISVTX) != 0U && (directory.st_mode & S_IWOTH) != 0U &&
                      directory.st_uid != found.st_uid;
  if (shared || anywhere) {
    throw base::Error(
        base::Error::Kind::kForbidden,
        fmt::format("cannot write {}: another user (number {}) has put a link or a pipe there; "
                    "remove it, or name another file",
                    path.string(), found.st_uid));
  }
}

// Followed returns the end of a chain of symbolic links: a link is kept, its target is written.
fs::path Followed(fs::path path, const PlaceOptions& options) {
  for (int i = 0; i < kMaxLinks; ++i) {
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) {
      return path;
    }
    RefuseForeign(path, found, options.secret);
    if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
      return path;  // /dev/stdout: the link of a pipe does not name a file
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) {
      return path;
    }
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  throw SystemError(fmt::format("cannot {} {}", options.verb, path.string()), ELOOP);
}

void MakeDirectory(const fs::path& path, const PlaceOptions& options) {
  struct stat found{};
  if (path.empty() || path == "/" || ::stat(path.c_str(), &found) == 0) {
    return;  // anything but a directory fails when it is opened
  }
  MakeDirectory(path.parent_path(), options);
  // Another thread or process may have created it concurrently.
  if (::mkdir(path.c_str(), *options.make) != 0 && errno != EEXIST) {
    FailToMake(path);
  }
  const Descriptor parent(::open(DirectoryOf(path).c_str(), kDirectoryFlags));
  if (options.sync && !SyncEntries(parent.get())) {
    throw SystemError(fmt::format("cannot sync {}", DirectoryOf(path).string()), errno);
  }
}

bool HasLinks(const fs::path& directory) {
  std::error_code error;
  const fs::path normal = fs::absolute(directory).lexically_normal();
  return fs::canonical(directory, error) != (normal.has_filename() ? normal : normal.parent_path());
}

// Returns the location to which the kernel resolves all links of the path's directories.
std::expected<Place, int> ByKernel(const fs::path& path, const PlaceOptions& options) {
  const fs::path named = path.has_filename() ? path : path.parent_path();
  const fs::path own = options.last == Last::kEnter ? named : DirectoryOf(named);
  if (options.make) {
    MakeDirectory(own, options);
  }
  const fs::path end = options.last == Last::kFollow ? Followed(named, options) : named;
  const bool enters = options.last == Last::kEnter || !end.has_filename();
  const fs::path directory = enters ? end : DirectoryOf(end);
  Descriptor fd(::open(directory.c_str(), kDirectoryFlags));
  if (!fd.valid() && end != named && errno == ENOENT) {
    FailOfTarget(options, path, directory);
  }
  if (!fd.valid()) {
    return std::unexpected(errno);
  }
  return Place{.directory = std::move(fd),
               .name = enters ? "." : end.filename().string(),
               .path = end,
               .by_link = end != named || HasLinks(directory)};
}

}  // namespace

std::optional<struct stat> Place::Stat(int flags) const {
  struct stat found{};
  return ::fstatat(directory.get(), name.c_str(), &found, flags) == 0 ? std::optional(found)
                                                                      : std::nullopt;
}

Descriptor Place::Open(int flags, mode_t mode) const {
  return Descriptor(::openat(directory.get(), name.c_str(), flags | O_CLOEXEC, mode));
}

std::expected<Place, int> FindPlace(const fs::path& path, const LinkRule& rule,
                                    const PlaceOptions& options) {
  if (!rule.roots_only) {
    return ByKernel(path, options);
  }
  const fs::path named = path.has_filename() ? path : path.parent_path();
  const bool enters = options.last == Last::kEnter || !named.has_filename();
  Place place{.directory = OpenWithoutLinks(enters ? named : DirectoryOf(named)),
              .name = enters ? "." : named.filename().string(),
              .path = named};
  const bool ends = options.last != Last::kFollow || !LinkText(place.directory.get(), place.name);
  if (place.directory.valid() && ends && place.name != "..") {
    return place;
  }
  return Walk(path, rule, options).Go();
}

Place RequirePlace(const Files& files, const fs::path& path, const PlaceOptions& options) {
  std::expected<Place, int> place = FindPlace(files.Location(path), files.LinksOf(path), options);
  if (!place) {
    throw SystemError(fmt::format("cannot {} {}", options.verb, files.Location(path).string()),
                      place.error());
  }
  return *std::move(place);
}

std::optional<fs::path> LinkText(int directory, const std::string& name) {
  std::string text(4096, '\0');
  const ssize_t length = ::readlinkat(directory, name.c_str(), text.data(), text.size());
  if (length < 0) {
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(length));
  return text;
}

bool IsRootsAlone(const struct stat& directory) {
  return directory.st_uid == 0 && (directory.st_mode & (S_IWGRP | S_IWOTH)) == 0U;
}

bool SyncEntries(int directory) {
  const Descriptor fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems lack fsync of directories (EINVAL); they order renames by themselves.
  return fd.valid() && (::fsync(fd.get()) == 0 || errno == EINVAL);
}

}  // namespace host
