// SPDX-License-Identifier: Apache-2.0
#include "host/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace host {
namespace {

constexpr std::string_view kPrefix = ".slipway-";
constexpr std::size_t kPatternSize = 6;

[[noreturn]] void Fail(std::string_view verb, const fs::path& path, int error = errno) {
  throw SystemError(fmt::format("cannot {} {}", verb, path.string()), error);
}

bool Lock(int fd, int how) {
  int result = 0;
  do {
    result = ::flock(fd, how);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool IsGone(int fd) {
  struct stat found{};
  return ::fstat(fd, &found) == 0 && found.st_nlink == 0;
}

// Returns true for attributes that depend on the content, not on the name: a signature, or
// capabilities of a program.
bool BelongsToContent(std::string_view attribute) {
  return attribute == "security.ima" || attribute == "security.evm" ||
         attribute == "security.capability";
}

// Copies the extended attributes. Skips those that this file system or this user cannot set.
void CopyAttributes(int from, int to) {
  const ssize_t size = ::flistxattr(from, nullptr, 0);
  std::string names(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  const ssize_t length = ::flistxattr(from, names.data(), names.size());
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  for (const std::string& name : base::Split(names, '\0')) {
    if (name.empty() || BelongsToContent(name)) {
      continue;
    }
    std::string value(65536, '\0');  // the kernel's limit for one attribute
    const ssize_t got = ::fgetxattr(from, name.c_str(), value.data(), value.size());
    if (got >= 0) {
      [[maybe_unused]] const int set =
          ::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(got), 0);
    }
  }
}

constexpr int kLookFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

void RemoveIfDead(int directory, const char* name) {
  const Descriptor fd(::openat(directory, name, kLookFlags));
  struct stat found{};
  if (fd.valid() && ::fstat(fd.get(), &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_uid == ::geteuid() && Lock(fd.get(), LOCK_EX | LOCK_NB)) {
    ::unlinkat(directory, name, 0);
  }
}

// Creates a file with an unused name, and returns the name and the descriptor. If the descriptor is
// not valid, errno has the reason.
std::pair<std::string, Descriptor> MakeUnique(int directory) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name(kPrefix);
    for (std::size_t i = 0; i < kPatternSize; ++i) {
      unsigned random = 0;
      [[maybe_unused]] const ssize_t got = ::getrandom(&random, sizeof random, 0);
      name += kLetters[random % kLetters.size()];
    }
    Descriptor fd(::openat(directory, name.c_str(),
                           O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd.valid() || errno != EEXIST) {
      return {name, std::move(fd)};
    }
  }
  return {};
}

// Returns whether this is the first query for this directory in this process.
bool FirstTime(const fs::path& directory) {
  static std::mutex mutex;
  static std::set<fs::path> seen;  // guarded by mutex
  const std::lock_guard lock(mutex);
  return seen.insert(directory).second;
}

}  // namespace

bool IsLeftoverName(std::string_view name) {
  return name.size() == kPrefix.size() + kPatternSize && name.starts_with(kPrefix);
}

void WriteAll(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t put = ::write(fd, content.data(), content.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      Fail("write", path);
    }
    content.remove_prefix(static_cast<std::size_t>(put));
  }
}

TemporaryFile::TemporaryFile(const Place& target) : target_(target) {
  do {  // repeat if another process removed the file as a leftover before it was locked
    std::tie(name_, fd_) = MakeUnique(target_.directory.get());
    if (!fd_.valid()) {
      name_.clear();
      Fail("write", target_.path);
    }
    // Without locks in the file system the file stays unlocked; leftovers are then not removed.
    [[maybe_unused]] const bool locked = Lock(fd_.get(), LOCK_EX);
  } while (IsGone(fd_.get()));
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) {
    ::unlinkat(target_.directory.get(), name_.c_str(), 0);
  }
}

void TemporaryFile::KeepAttributes(const Attributes& attributes) {
  struct stat made{};  // the directory may have set a group and an access list
  const bool known = ::fstat(fd_.get(), &made) == 0;
  if ((!known || attributes.uid != made.st_uid || attributes.gid != made.st_gid) &&
      ::fchown(fd_.get(), attributes.uid, attributes.gid) != 0) {
    Fail("keep the owner of", target_.path);
  }
  ::fremovexattr(fd_.get(), "system.posix_acl_access");
  if (const Descriptor previous = target_.Open(kLookFlags); previous.valid()) {
    CopyAttributes(previous.get(), fd_.get());
  }
  // The mode comes last, because fchown clears set-id bits, and an access list changes the mode.
  SetMode(attributes.mode);
}

void TemporaryFile::SetMode(unsigned mode) {
  if (::fchmod(fd_.get(), mode) != 0) {
    Fail("set the mode of", target_.path);
  }
}

void TemporaryFile::Append(std::string_view content) { WriteAll(fd_.get(), content, target_.path); }

void TemporaryFile::Sync() {
  if (::fsync(fd_.get()) != 0) {
    Fail("write", target_.path);
  }
}

bool TemporaryFile::Replace() {
  const int directory = target_.directory.get();
  if (::renameat(directory, name_.c_str(), directory, target_.name.c_str()) != 0) {
    if (errno == EBUSY) {
      return false;
    }
    Fail("replace", target_.path);
  }
  name_.clear();
  if (fd_.Close() != 0) {
    Fail("write", target_.path);
  }
  return true;
}

void RemoveLeftovers(const Place& place) {
  if (!FirstTime(place.path.parent_path())) {
    return;
  }
  const int fd = ::openat(place.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const directory = fd < 0 ? nullptr : ::fdopendir(fd);
  if (directory == nullptr) {
    return;
  }
  while (const dirent* entry = ::readdir(directory)) {
    if (IsLeftoverName(entry->d_name)) {
      RemoveIfDead(::dirfd(directory), entry->d_name);
    }
  }
  ::closedir(directory);
}

}  // namespace host
