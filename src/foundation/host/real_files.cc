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
#include "host/place.h"
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

// The size limit of a file that is read as a whole. Configurations, keys and manifests are far
// smaller; the limit stops the read of an endless device.
constexpr std::size_t kLargestFile = std::size_t{64} << 20;

[[noreturn]] void FailOfSize(const fs::path& path) {
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("{} is larger than {} MiB: name another file", path.string(),
                                kLargestFile >> 20));
}

// The time in which the first writer of a pipe must open the pipe and write to it. A writer that
// has opened the pipe before this process, such as the shell's <(…), may take any time.
constexpr int kPipeWaitMs = 10'000;

bool Await(int fd, int milliseconds) {
  pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&readable, 1, milliseconds) != 0;
}

// Waits until a writer has written to the pipe or closed it. Throws after kPipeWaitMs. Returns
// immediately for any other file, and for a pipe whose writer has already ended.
void FirstWriter(int fd, const fs::path& path) {
  struct stat found{};
  if (::fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode) && !Await(fd, kPipeWaitMs)) {
    throw base::Error(
        base::Error::Kind::kTimeout,
        fmt::format("no data came from the pipe {} for {} s: name a file, or start the "
                    "writer first",
                    path.string(), kPipeWaitMs / 1000));
  }
}

// Reads from a non-blocking descriptor, but waits for data as a blocking read does.
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
  // Files of /proc report size 0. One byte more than the hint shows whether the file is longer.
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

// Returns whether only root and this user can create files in the directory. If so, the owner and
// mode of a file in it are intended. Otherwise another user may have chosen them to read a secret.
bool IsPrivate(const struct stat& directory) {
  return (directory.st_uid == 0 || directory.st_uid == ::geteuid()) &&
         (directory.st_mode & (S_IWGRP | S_IWOTH)) == 0U;
}

TemporaryFile::Attributes AttributesOf(const struct stat& previous) {
  return {
      .uid = previous.st_uid, .gid = previous.st_gid, .mode = previous.st_mode & kPermissionBits};
}

// Returns the attributes of a secret that replaces `previous`. If this user owns the previous file,
// the group's access was intended and is kept. Otherwise it is kept only for a group of `owners`.
TemporaryFile::Attributes SecretAttributes(const struct stat& previous,
                                           const SecretOwners& owners) {
  const bool own = previous.st_uid == ::geteuid();
  const bool user = own || owners.user(previous.st_uid);
  const bool group = own || owners.group(previous.st_gid);
  return {.uid = user ? previous.st_uid : ::geteuid(),
          .gid = group ? previous.st_gid : ::getegid(),
          .mode = SecretMode(previous.st_mode, group)};
}

// Writes devices, pipes and mount points in place, because they cannot be replaced.
void Overwrite(const Place& place, std::string_view content, int follow) {
  const int no_link = follow == 0 ? 0 : O_NOFOLLOW;
  Descriptor fd = place.Open(O_WRONLY | O_TRUNC | O_NOCTTY | no_link);
  if (!fd.valid()) {
    Fail("write", place.path);
  }
  WriteAll(fd.get(), content, place.path);
  ::fsync(fd.get());  // some devices do not support it
  if (fd.Close() != 0) {
    Fail("write", place.path);
  }
}

// Refuses a pipe or device that another user may have created. Writing to it could block forever or
// lose the data.
void RequireRoots(const Place& place, const struct stat& directory, const LinkRule& rule) {
  if (rule.roots_only && !IsRootsAlone(directory)) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("cannot write {}: it is not a file, and another user than root may have put it "
                    "there; remove it",
                    place.path.string()));
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

// Reads the umask from /proc. umask(2) can return the umask only by setting another one, which
// concurrent threads would then use.
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

bool IsBelow(const fs::path& path, const fs::path& directory) {
  const fs::path relative = path.lexically_relative(directory);
  return !relative.empty() && *relative.begin() != "..";
}

// Returns the path in the form in which paths are compared: absolute, without the parts "." and
// "..", and without a slash at the end.
fs::path Normal(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

fs::path RealFiles::Below(const fs::path& path) const {
  return root_.empty() || root_ == "/" ? path : root_ / path.relative_path();
}

fs::path RealFiles::Location(const fs::path& path) const { return Below(path); }

std::optional<std::string> RealFiles::Find(const fs::path& path) const {
  const fs::path real = Below(path);
  // Does not block on a pipe that no writer opens.
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

LinkRule RealFiles::LinksOf(const fs::path& path) const {
  if (::geteuid() != 0 || std::ranges::any_of(named_, [&](const fs::path& named) {
        return IsBelow(Normal(path), named);
      })) {
    return {};
  }
  return {.roots_only = true,
          .owner = [this](unsigned uid) { return uid == 0 || secret_owners_.user(uid); }};
}

void RealFiles::FollowLinksOf(const std::vector<std::string>& named) {
  std::ranges::transform(named, std::back_inserter(named_), Normal);
}

void RealFiles::Write(const fs::path& path, std::string_view content, WriteOptions options) {
  const LinkRule rule = LinksOf(path);
  // A link that the rule allows may lead to a pipe, for example /dev/stdout.
  const int follow = rule.roots_only ? AT_SYMLINK_NOFOLLOW : 0;
  const Place place = RequirePlace(*this, path,
                                   {.last = PlaceOptions::Last::kFollow,
                                    .make = options.directory_mode,
                                    .secret = IsSecret(options),
                                    .sync = durability_ == Durability::kSynced});
  struct stat directory{};
  ::fstat(place.directory.get(), &directory);
  const std::optional<struct stat> found = place.Stat(follow);
  if (found && S_ISDIR(found->st_mode)) {
    Fail("write", place.path, EISDIR);
  }
  if (found && !S_ISREG(found->st_mode)) {
    RequireRoots(place, directory, rule);
    return Overwrite(place, content, follow);
  }
  RemoveLeftovers(place);
  {
    TemporaryFile file(place);
    if (found && options.keep_mode && (!IsSecret(options) || IsPrivate(directory))) {
      file.KeepAttributes(IsSecret(options) ? SecretAttributes(*found, secret_owners_)
                                            : AttributesOf(*found));
    } else {
      file.SetMode(IsSecret(options) ? options.mode : options.mode & ~(Umask() & kNotOwner));
    }
    file.Append(content);
    if (durability_ == Durability::kSynced) {
      file.Sync();
    }
    if (!file.Replace()) {
      return Overwrite(place, content, follow);
    }
  }
  if (durability_ == Durability::kSynced && !SyncEntries(place.directory.get())) {
    Fail("sync", place.path.parent_path());
  }
}

void RealFiles::MakeDirectories(const fs::path& path, unsigned mode) {
  RequirePlace(*this, path,
               {.verb = "make directory",
                .last = PlaceOptions::Last::kEnter,
                .make = mode,
                .sync = durability_ == Durability::kSynced});
}

void RealFiles::SetMode(const fs::path& path, unsigned mode) {
  constexpr std::string_view kVerb = "set the mode of";
  const LinkRule rule = LinksOf(path);
  const Place place =
      RequirePlace(*this, path, {.verb = kVerb, .last = PlaceOptions::Last::kFollow});
  if (!rule.roots_only) {
    if (::fchmodat(place.directory.get(), place.name.c_str(), mode, 0) != 0) {
      Fail(kVerb, place.path);
    }
    return;
  }
  const Descriptor fd = place.Open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!fd.valid() || ::fchmod(fd.get(), mode) != 0) {
    Fail(kVerb, place.path);
  }
}

void RealFiles::SetOwner(const fs::path& path, unsigned uid, unsigned gid) {
  constexpr std::string_view kVerb = "set the owner of";
  const Place place =
      RequirePlace(*this, path, {.verb = kVerb, .last = PlaceOptions::Last::kFollow});
  if (::fchownat(place.directory.get(), place.name.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW) != 0) {
    Fail(kVerb, place.path);
  }
}

// Syncs the directory, because a removed journal or manifest must not reappear after a power
// failure.
bool RealFiles::Remove(const fs::path& path) {
  const fs::path real = Below(path);
  const std::expected<Place, int> place = FindPlace(real, LinksOf(path), {.verb = "remove"});
  const int directory = place ? place->directory.get() : -1;
  errno = place ? 0 : place.error();
  const char* const name = place ? place->name.c_str() : "";
  if (place && (::unlinkat(directory, name, 0) == 0 ||
                (errno == EISDIR && ::unlinkat(directory, name, AT_REMOVEDIR) == 0))) {
    if (durability_ == Durability::kSynced) {
      SyncEntries(directory);
    }
    return true;
  }
  if (IsMissing(errno)) {
    return false;
  }
  Fail("remove", real);
}

void RealFiles::RemoveTree(const fs::path& path) {
  const fs::path real = Below(path);
  RequireRemovable(path);
  const std::expected<Place, int> place = FindPlace(real, LinksOf(path), {.verb = "remove"});
  if (!place && IsMissing(place.error())) {
    return;
  }
  if (!place) {
    Fail("remove", real, place.error());
  }
  host::RemoveTree(*place);
  if (durability_ == Durability::kSynced) {
    SyncEntries(place->directory.get());
  }
}

}  // namespace host
