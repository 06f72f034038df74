#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "host/descriptor.h"
#include "host/files.h"
#include "host/remove_tree.h"

namespace host {
namespace {

constexpr unsigned kPermissionBits = 07777;

bool IsMissing(int error) { return error == ENOENT || error == ENOTDIR; }

[[noreturn]] void Fail(std::string_view verb, const fs::path& path, int error = errno,
                       std::source_location at = std::source_location::current()) {
  throw SystemError(fmt::format("cannot {} {}", verb, path.string()), error, at);
}

std::string ReadAll(int fd, const fs::path& path, std::size_t size_hint) {
  std::string content;
  // Files of /proc say that they are empty; one byte more than the hint tells the end apart.
  content.resize(std::max<std::size_t>(size_hint, 4095) + 1);
  std::size_t length = 0;
  for (;;) {
    const ssize_t got = ::read(fd, content.data() + length, content.size() - length);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      Fail("read", path);
    }
    if (got == 0) {
      content.resize(length);
      return content;
    }
    length += static_cast<std::size_t>(got);
    if (length == content.size()) {
      content.resize(content.size() * 2);
    }
  }
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

// Followed is where a chain of symbolic links ends, so that a link is kept and its target written.
fs::path Followed(fs::path path) {
  constexpr int kMaxLinks = 40;  // as the kernel's limit
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) {
      return path;
    }
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  Fail("write", path, ELOOP);
}

// TemporaryFile is a hidden file beside `target` that vanishes unless it takes the target's place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : target_(target), name_((target.parent_path() / ".slipway-XXXXXX").string()) {
    fd_ = Descriptor(::mkostemp(name_.data(), O_CLOEXEC));
    if (!fd_.valid()) {
      Fail("write", target_);
    }
  }
  ~TemporaryFile() {
    if (!name_.empty()) {
      ::unlink(name_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Own(const struct stat* previous, unsigned mode) {
    if (previous != nullptr &&
        (previous->st_uid != ::geteuid() || previous->st_gid != ::getegid()) &&
        ::fchown(fd_.get(), previous->st_uid, previous->st_gid) != 0) {
      Fail("keep the owner of", target_);
    }
    if (::fchmod(fd_.get(), mode) != 0) {  // after fchown, which clears set-id bits
      Fail("set the mode of", target_);
    }
  }

  void Fill(std::string_view content, Durability durability) {
    WriteAll(fd_.get(), content, target_);
    const bool synced = durability == Durability::kUnsynced || ::fsync(fd_.get()) == 0;
    if (!synced || fd_.Close() != 0) {
      Fail("write", target_);
    }
  }

  // Replace returns false when the target is a mount point of its own and cannot be replaced.
  bool Replace() {
    if (::rename(name_.c_str(), target_.c_str()) != 0) {
      if (errno == EBUSY) {
        return false;
      }
      Fail("replace", target_);
    }
    name_.clear();
    return true;
  }

 private:
  fs::path target_;
  std::string name_;
  Descriptor fd_;
};

void SyncFolder(const fs::path& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems know no fsync of folders (EINVAL); they order renames by themselves.
  if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    Fail("sync", folder);
  }
}

// Overwrite serves what cannot be replaced: devices, pipes and files that are mount points.
void Overwrite(const fs::path& path, std::string_view content) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
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

void MakeFolder(const fs::path& path, unsigned mode) {
  if (path.empty() || path == "/") {
    return;
  }
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISDIR(found.st_mode)) {
      Fail("make folder", path, ENOTDIR);
    }
    return;
  }
  MakeFolder(path.parent_path(), mode);
  // Another thread or process may have made it meanwhile.
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    Fail("make folder", path);
  }
}

}  // namespace

fs::path RealFiles::Below(const fs::path& path) const {
  return root_.empty() || root_ == "/" ? path : root_ / path.relative_path();
}

fs::path RealFiles::Location(const fs::path& path) const { return Below(path); }

std::optional<std::string> RealFiles::Find(const fs::path& path) const {
  const fs::path real = Below(path);
  const Descriptor fd(::open(real.c_str(), O_RDONLY | O_CLOEXEC));
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
  const fs::path target = Followed(Below(path));
  struct stat found{};
  const bool exists = ::stat(target.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) {
    Fail("write", target, EISDIR);
  }
  if (exists && !S_ISREG(found.st_mode)) {
    return Overwrite(target, content);
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  MakeFolder(folder, options.directory_mode);
  {
    const bool keep = exists && options.keep_mode;
    TemporaryFile file(target);
    file.Own(keep ? &found : nullptr, keep ? found.st_mode & kPermissionBits : options.mode);
    file.Fill(content, durability_);
    if (!file.Replace()) {
      return Overwrite(target, content);
    }
  }
  if (durability_ == Durability::kSynced) {
    SyncFolder(folder);
  }
}

void RealFiles::MakeDirectories(const fs::path& path, unsigned mode) {
  const fs::path real = Below(path);
  // "a/b/" has an empty last part, which is no folder.
  MakeFolder(real.has_filename() ? real : real.parent_path(), mode);
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
  host::RemoveTree(Below(path));
}

}  // namespace host
