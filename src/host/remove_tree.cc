#include "host/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "host/descriptor.h"

namespace host {
namespace {

namespace fs = std::filesystem;

// MountOf tells mounts apart; the device number does not for bind mounts.
std::uint64_t MountOf(int fd) {
  struct statx found{};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &found) != 0) {
    return 0;
  }
  if ((found.stx_mask & STATX_MNT_ID) != 0U) {
    return found.stx_mnt_id;
  }
  return (std::uint64_t{found.stx_dev_major} << 32U) | found.stx_dev_minor;
}

class Remover {
 public:
  // Remove deletes the entry `name` of the open folder `parent`; `path` is for messages.
  void Remove(int parent, const std::string& name, const fs::path& path,
              std::optional<std::uint64_t> mount) {
    if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) {
      return;
    }
    if (errno != EISDIR && errno != EPERM) {  // POSIX says EPERM where Linux says EISDIR
      return Note(path, errno);
    }
    const int unlink_error = errno;
    Descriptor fd(::openat(parent, name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd.valid()) {
      return Note(path, errno == ENOTDIR ? unlink_error : errno);
    }
    const std::uint64_t here = MountOf(fd.get());
    if (mount && *mount != here) {
      return Note(path, EBUSY);
    }
    for (const std::string& entry : Entries(fd.get(), path)) {
      Remove(fd.get(), entry, path / entry, here);
    }
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      Note(path, errno);
    }
  }

  void ThrowIfFailed() const {
    if (first_) {
      throw base::Error(*first_);
    }
  }

 private:
  std::vector<std::string> Entries(int fd, const fs::path& path) {
    // The copy shares the position with fd, which nobody reads.
    DIR* dir = ::fdopendir(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (dir == nullptr) {
      Note(path, errno);
      return {};
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(dir)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        names.emplace_back(name);
      }
    }
    ::closedir(dir);
    return names;
  }

  // The innermost obstacle is met first; "not empty" of the folders above it says less.
  void Note(const fs::path& path, int error) {
    if (!first_) {
      first_ = SystemError(fmt::format("cannot remove {}", path.string()), error);
    }
  }

  std::optional<base::Error> first_;
};

}  // namespace

void RemoveTree(const fs::path& path) {
  const fs::path clean = path.has_filename() ? path : path.parent_path();
  if (clean.relative_path().empty()) {
    throw base::Error(fmt::format("refusing to remove {}", path.string()));
  }
  Remover remover;
  remover.Remove(AT_FDCWD, clean.string(), clean, std::nullopt);
  remover.ThrowIfFailed();
}

}  // namespace host
