// SPDX-License-Identifier: Apache-2.0
// Mounts of a host.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace host {

namespace fs = std::filesystem;

// Mount is one line of /proc/mounts (proc(5)).
struct Mount {
  std::string source;
  fs::path target;
  std::string type;  // "tmpfs"
  bool operator==(const Mount&) const = default;
};

// Parses /proc/mounts, in its order. Decodes the octal escapes of blanks in names.
std::vector<Mount> ParseMounts(std::string_view proc_mounts);

// The machine's mounts, and their removal.
class Mounts {
 public:
  virtual ~Mounts() = default;
  virtual std::vector<Mount> List() const = 0;
  // Follows the links in a path; missing components stay as they are.
  virtual fs::path Resolve(const fs::path& path) const = 0;
  // Calls umount2(2). The flags are "MNT_FORCE", "MNT_DETACH", "MNT_EXPIRE" and "UMOUNT_NOFOLLOW".
  // Returns false if, according to the kernel, the target is not a mount (EINVAL). Throws
  // base::Error naming the target, with the kind of the system's error.
  virtual bool Unmount(const fs::path& target, std::span<const std::string> flags) = 0;
};

// RealMounts reads /proc/mounts and calls umount2(2).
class RealMounts : public Mounts {
 public:
  std::vector<Mount> List() const override;
  fs::path Resolve(const fs::path& path) const override;
  bool Unmount(const fs::path& target, std::span<const std::string> flags) override;
};

// Reads the real mounts, which must outlive it, and unmounts nothing.
class DryRunMounts : public Mounts {
 public:
  explicit DryRunMounts(const Mounts& real) : real_(real) {}
  std::vector<Mount> List() const override { return real_.List(); }
  fs::path Resolve(const fs::path& path) const override { return real_.Resolve(path); }
  bool Unmount(const fs::path& /*target*/, std::span<const std::string> /*flags*/) override {
    return true;
  }

 private:
  const Mounts& real_;
};

}  // namespace host
