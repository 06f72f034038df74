// SPDX-License-Identifier: Apache-2.0
#include "host/temporary_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/strings.h"

namespace host {
namespace {

constexpr std::string_view kPrefix = ".slipway-";
constexpr std::string_view kPattern = "XXXXXX";

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

// What belongs to the content, not to the name: a signature or a right of a program.
bool BelongsToContent(std::string_view attribute) {
  return attribute == "security.ima" || attribute == "security.evm" ||
         attribute == "security.capability";
}

// CopyAttributes leaves out what this file system or this user must not set.
void CopyAttributes(const fs::path& from, int to) {
  const ssize_t size = ::llistxattr(from.c_str(), nullptr, 0);
  std::string names(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  const ssize_t length = ::llistxattr(from.c_str(), names.data(), names.size());
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  for (const std::string& name : base::Split(names, '\0')) {
    if (name.empty() || BelongsToContent(name)) {
      continue;
    }
    std::string value(65536, '\0');  // the kernel's limit for one
    const ssize_t got = ::lgetxattr(from.c_str(), name.c_str(), value.data(), value.size());
    if (got >= 0) {
      [[maybe_unused]] const int set =
          ::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(got), 0);
    }
  }
}

void RemoveIfDead(const fs::path& path) {
  const Descriptor fd(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat found{};
  if (fd.valid() && ::fstat(fd.get(), &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_uid == ::geteuid() && Lock(fd.get(), LOCK_EX | LOCK_NB)) {
    ::unlink(path.c_str());
  }
}

// FirstTime tells whether this process asks for this directory for the first time.
bool FirstTime(const fs::path& directory) {
  static std::mutex mutex;
  static std::set<fs::path> seen;  // guarded by mutex
  const std::lock_guard lock(mutex);
  return seen.insert(directory).second;
}

}  // namespace

bool IsLeftoverName(std::string_view name) {
  return name.size() == kPrefix.size() + kPattern.size() && name.starts_with(kPrefix);
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

TemporaryFile::TemporaryFile(const fs::path& target) : target_(target) {
  do {  // until it is locked before anybody takes it for a leftover
    name_ = (target.parent_path() / fmt::format("{}{}", kPrefix, kPattern)).string();
    fd_ = Descriptor(::mkostemp(name_.data(), O_CLOEXEC));
    if (!fd_.valid()) {
      name_.clear();
      Fail("write", target_);
    }
    // A file system without locks is left without them: there is nothing that it could mix up.
    [[maybe_unused]] const bool locked = Lock(fd_.get(), LOCK_EX);
  } while (IsGone(fd_.get()));
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) {
    ::unlink(name_.c_str());
  }
}

void TemporaryFile::KeepAttributes(const Attributes& attributes) {
  struct stat made{};  // the directory may have given it a group and an access list
  const bool known = ::fstat(fd_.get(), &made) == 0;
  if ((!known || attributes.uid != made.st_uid || attributes.gid != made.st_gid) &&
      ::fchown(fd_.get(), attributes.uid, attributes.gid) != 0) {
    Fail("keep the owner of", target_);
  }
  ::fremovexattr(fd_.get(), "system.posix_acl_access");
  CopyAttributes(target_, fd_.get());
  SetMode(attributes.mode);  // last: fchown clears set-id bits, an access list sets others
}

void TemporaryFile::SetMode(unsigned mode) {
  if (::fchmod(fd_.get(), mode) != 0) {
    Fail("set the mode of", target_);
  }
}

void TemporaryFile::Append(std::string_view content) { WriteAll(fd_.get(), content, target_); }

void TemporaryFile::Sync() {
  if (::fsync(fd_.get()) != 0) {
    Fail("write", target_);
  }
}

bool TemporaryFile::Replace() {
  if (::rename(name_.c_str(), target_.c_str()) != 0) {
    if (errno == EBUSY) {
      return false;
    }
    Fail("replace", target_);
  }
  name_.clear();
  if (fd_.Close() != 0) {
    Fail("write", target_);
  }
  return true;
}

void RemoveLeftovers(const fs::path& directory) {
  if (!FirstTime(directory)) {
    return;
  }
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (IsLeftoverName(it->path().filename().native())) {
      RemoveIfDead(it->path());
    }
  }
}

}  // namespace host
