// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "host/descriptor.h"
#include "host/files.h"
#include "host/remove_tree.h"
#include "host/temporary_file.h"

namespace host {
namespace {

constexpr unsigned kPermissionBits = 07777;

bool IsMissing(int error) { return error == ENOENT || error == ENOTDIR; }

[[noreturn]] void Fail(std::string_view verb, const fs::path& path, int error = errno,
                       std::source_location at = std::source_location::current()) {
  throw SystemError(fmt::format("cannot {} {}", verb, path.string()), error, at);
}

// What a file may have at most, of all that is read whole: no configuration, key or manifest comes
// near, and a device has no end.
constexpr std::size_t kLargestFile = std::size_t{64} << 20;

[[noreturn]] void FailOfSize(const fs::path& path) {
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("{} is larger than {} MiB: name another file", path.string(),
                                kLargestFile >> 20));
}

// How long a pipe may wait for somebody who writes into it. One that was started beside us, as the
// shell's <(…), has it open before we do, and may then take as long as it wants.
constexpr int kPipeWaitMs = 10'000;

bool Await(int fd, int milliseconds) {
  pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&readable, 1, milliseconds) != 0;
}

// FirstWriter throws when nobody comes to write into a pipe. What is not a pipe, and a pipe that
// has had its writer, is at its end at once.
void FirstWriter(int fd, const fs::path& path) {
  struct stat found{};
  if (::fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode) && !Await(fd, kPipeWaitMs)) {
    throw base::Error(base::Error::Kind::kTimeout,
                      fmt::format("{} is a pipe into which nobody writes: name a file, or start "
                                  "what writes into it first",
                                  path.string()));
  }
}

// ReadSome is read(2) of a descriptor that does not block, and waits as one that does.
std::size_t ReadSome(int fd, char* place, std::size_t size, const fs::path& path) {
  for (;;) {
    const ssize_t got = ::read(fd, place, size);
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno == EAGAIN) {
      Await(fd, -1);
    } else if (errno != EINTR) {
      Fail("read", path);
    }
  }
}

std::string ReadAll(int fd, const fs::path& path, std::size_t size_hint) {
  std::string content;
  // Files of /proc say that they are empty; one byte more than the hint tells the end apart.
  content.resize(std::clamp<std::size_t>(size_hint, 4095, kLargestFile) + 1);
  std::size_t length = 0;
  bool waited = false;
  for (;;) {
    const std::size_t got = ReadSome(fd, content.data() + length, content.size() - length, path);
    if (got == 0 && (length > 0 || waited)) {
      content.resize(length);
      return content;
    }
    if (got == 0) {
      FirstWriter(fd, path);
      waited = true;
    }
    length += got;
    if (length > kLargestFile) {
      FailOfSize(path);
    }
    if (length == content.size()) {
      content.resize(std::min(content.size() * 2, kLargestFile + 1));
    }
  }
}

bool IsOurs(const struct stat& found) { return found.st_uid == 0 || found.st_uid == ::geteuid(); }

fs::path DirectoryOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// RefuseForeign stands for fs.protected_symlinks and fs.protected_fifos, also where the kernel has
// them off or does not ask, as in a rename: where everybody may write, somebody may have put a link
// or a pipe in the way of a name. `kAnywhere` asks of other directories, too.
enum class Foreign { kInShared, kAnywhere };
void RefuseForeign(const fs::path& path, const struct stat& found, Foreign where) {
  struct stat directory{};
  if (IsOurs(found) || ::stat(DirectoryOf(path).c_str(), &directory) != 0) {
    return;
  }
  const bool shared = (directory.st_mode & S_ISVTX) != 0U && (directory.st_mode & S_IWOTH) != 0U &&
                      directory.st_uid != found.st_uid;
  if (shared || where == Foreign::kAnywhere) {
    throw base::Error(
        base::Error::Kind::kForbidden,
        fmt::format("cannot write {}: another user (number {}) has put a link or a pipe there; "
                    "remove it, or name another file",
                    path.string(), found.st_uid));
  }
}

// Followed is where a chain of symbolic links ends, so that a link is kept and its target written.
fs::path Followed(fs::path path, Foreign refused) {
  constexpr int kMaxLinks = 40;  // as the kernel's limit
  for (int i = 0; i < kMaxLinks; ++i) {
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) {
      return path;
    }
    RefuseForeign(path, found, refused);
    if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
      return path;  // /dev/stdout: what the link of a pipe reads names no file
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) {
      return path;
    }
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  Fail("write", path, ELOOP);
}

// IsPrivate tells whether only root and this user can have put a file into the directory. Then its
// owner and mode are what they chose; elsewhere they may be a trap for a secret.
bool IsPrivate(const fs::path& directory) {
  struct stat found{};
  return ::stat(directory.c_str(), &found) == 0 && IsOurs(found) &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0U;
}

TemporaryFile::Attributes AttributesOf(const struct stat& previous) {
  return {
      .uid = previous.st_uid, .gid = previous.st_gid, .mode = previous.st_mode & kPermissionBits};
}

// SecretAttributes are those of a secret in the place of `previous`. Who may read with the group is
// for the file's owner to say: where that is this user, it was said on purpose.
TemporaryFile::Attributes SecretAttributes(const struct stat& previous,
                                           const SecretOwners& owners) {
  const bool own = previous.st_uid == ::geteuid();
  const bool user = own || owners.user(previous.st_uid);
  const bool group = own || owners.group(previous.st_gid);
  return {.uid = user ? previous.st_uid : ::geteuid(),
          .gid = group ? previous.st_gid : ::getegid(),
          .mode = SecretMode(previous.st_mode, group)};
}

void SyncDirectory(const fs::path& directory) {
  const Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems know no fsync of directories (EINVAL); they order renames by themselves.
  if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    Fail("sync", directory);
  }
}

// Overwrite serves what cannot be replaced: devices, pipes and files that are mount points.
void Overwrite(const fs::path& path, std::string_view content) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) {
    Fail("write", path);
  }
  WriteAll(fd.get(), content, path);
  ::fsync(fd.get());  // a device may not have it
  if (fd.Close() != 0) {
    Fail("write", path);
  }
}

FileInfo::Kind KindOf(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileInfo::Kind::kFile;
    case S_IFDIR:
      return FileInfo::Kind::kDirectory;
    case S_IFLNK:
      return FileInfo::Kind::kLink;
    default:
      return FileInfo::Kind::kOther;
  }
}

constexpr unsigned kNotOwner = 077;

// Umask is read where the kernel shows it: umask(2) tells it only by setting another one, which
// threads that make directories meanwhile would get.
unsigned Umask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "Umask:";
    if (line.starts_with(kName)) {
      return static_cast<unsigned>(std::strtoul(line.c_str() + kName.size(), nullptr, 8));
    }
  }
  return 0;
}

void MakeDirectory(const fs::path& path, unsigned mode, Durability durability) {
  if (path.empty() || path == "/") {
    return;
  }
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISDIR(found.st_mode)) {
      Fail("make directory", path, ENOTDIR);
    }
    return;
  }
  MakeDirectory(path.parent_path(), mode, durability);
  // Another thread or process may have made it meanwhile.
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    Fail("make directory", path);
  }
  if (durability == Durability::kSynced) {
    SyncDirectory(DirectoryOf(path));
  }
}

// Where a link leads is somebody else's: a directory that is missing there may be one that is not
// mounted, and what is written into another in its place is lost when it is.
void RequireTargetsDirectory(const fs::path& path, const fs::path& directory) {
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0 && IsMissing(errno)) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("cannot write {}: it is a link into {}, which is not there",
                                  path.string(), directory.string()));
  }
}

// A name that was removed and comes back with a power cut misleads: an old record, a manifest.
// Where the directory cannot be opened it may.
void SyncRemoval(const fs::path& removed) {
  const Descriptor fd(::open(DirectoryOf(removed).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) {
    ::fsync(fd.get());
  }
}

}  // namespace

fs::path RealFiles::Below(const fs::path& path) const {
  return root_.empty() || root_ == "/" ? path : root_ / path.relative_path();
}

fs::path RealFiles::Location(const fs::path& path) const { return Below(path); }

std::optional<std::string> RealFiles::Find(const fs::path& path) const {
  const fs::path real = Below(path);
  // A pipe is opened without waiting for whoever may never come to write into it.
  const Descriptor fd(::open(real.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) {
    if (IsMissing(errno)) {
      return std::nullopt;
    }
    Fail("read", real);
  }
  struct stat found{};
  if (::fstat(fd.get(), &found) != 0) {
    Fail("read", real);
  }
  return ReadAll(fd.get(), real, static_cast<std::size_t>(found.st_size));
}

std::optional<FileInfo> RealFiles::Stat(const fs::path& path) const {
  const fs::path real = Below(path);
  struct stat found{};
  if (::lstat(real.c_str(), &found) != 0) {
    if (IsMissing(errno)) {
      return std::nullopt;
    }
    Fail("look at", real);
  }
  const auto since_epoch =
      std::chrono::seconds(found.st_mtim.tv_sec) + std::chrono::nanoseconds(found.st_mtim.tv_nsec);
  return FileInfo{.kind = KindOf(found.st_mode),
                  .mode = found.st_mode & kPermissionBits,
                  .uid = found.st_uid,
                  .gid = found.st_gid,
                  .size = static_cast<std::uint64_t>(found.st_size),
                  .modified = std::chrono::system_clock::time_point(since_epoch)};
}

std::vector<std::string> RealFiles::List(const fs::path& path) const {
  const fs::path real = Below(path);
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(real.c_str()), close);
  if (!dir) {
    Fail("list", real);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  if (errno != 0) {
    Fail("list", real);
  }
  std::ranges::sort(names);
  return names;
}

void RealFiles::Write(const fs::path& path, std::string_view content, WriteOptions options) {
  const fs::path target =
      Followed(Below(path), IsSecret(options) ? Foreign::kAnywhere : Foreign::kInShared);
  struct stat found{};
  const bool exists = ::stat(target.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) {
    Fail("write", target, EISDIR);
  }
  if (exists && !S_ISREG(found.st_mode)) {
    return Overwrite(target, content);
  }
  const fs::path directory = DirectoryOf(target);
  MakeDirectory(DirectoryOf(Below(path)), options.directory_mode, durability_);
  RequireTargetsDirectory(path, directory);
  RemoveLeftovers(directory);
  {
    TemporaryFile file(target);
    if (exists && options.keep_mode && (!IsSecret(options) || IsPrivate(directory))) {
      file.KeepAttributes(IsSecret(options) ? SecretAttributes(found, secret_owners_)
                                            : AttributesOf(found));
    } else {
      file.SetMode(IsSecret(options) ? options.mode : options.mode & ~(Umask() & kNotOwner));
    }
    file.Append(content);
    if (durability_ == Durability::kSynced) {
      file.Sync();
    }
    if (!file.Replace()) {
      return Overwrite(target, content);
    }
  }
  if (durability_ == Durability::kSynced) {
    SyncDirectory(directory);
  }
}

void RealFiles::MakeDirectories(const fs::path& path, unsigned mode) {
  const fs::path real = Below(path);
  // "a/b/" has an empty last part, which is not a directory.
  MakeDirectory(real.has_filename() ? real : real.parent_path(), mode, durability_);
}

void RealFiles::SetMode(const fs::path& path, unsigned mode) {
  const fs::path real = Below(path);
  if (::chmod(real.c_str(), mode) != 0) {
    Fail("set the mode of", real);
  }
}

void RealFiles::SetOwner(const fs::path& path, unsigned uid, unsigned gid) {
  const fs::path real = Below(path);
  if (::lchown(real.c_str(), uid, gid) != 0) {
    Fail("set the owner of", real);
  }
}

bool RealFiles::Remove(const fs::path& path) {
  const fs::path real = Below(path);
  if (std::remove(real.c_str()) == 0) {
    if (durability_ == Durability::kSynced) {
      SyncRemoval(real);
    }
    return true;
  }
  if (IsMissing(errno)) {
    return false;
  }
  Fail("remove", real);
}

void RealFiles::RemoveTree(const fs::path& path) {
  if (path.relative_path().empty()) {
    Fail("remove", path, EINVAL);
  }
  const fs::path real = Below(path);
  host::RemoveTree(real);
  if (durability_ == Durability::kSynced) {
    SyncRemoval(real.has_filename() ? real : real.parent_path());
  }
}

}  // namespace host
