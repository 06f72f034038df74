// SPDX-License-Identifier: Apache-2.0
// Files of a host, below a root: the machine's own, a test's, or the directory of a dry run.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host {

namespace fs = std::filesystem;

// The directory that mkfs creates in the root of a file system.
inline constexpr std::string_view kLostAndFound = "lost+found";

// The result of lstat(2) for a path (a symbolic link is not followed).
struct FileInfo {
  enum class Kind { kFile, kDirectory, kLink, kOther } kind = Kind::kFile;
  unsigned mode = 0;  // permission bits, 07777
  unsigned uid = 0;
  unsigned gid = 0;
  std::uint64_t size = 0;
  std::chrono::system_clock::time_point modified;
};

// How a file is created.
struct WriteOptions {
  unsigned mode = 0600;  // of a new file; the umask applies to group and others
  // an existing file keeps its mode, owner and attributes; a secret keeps fewer (SecretOwners)
  bool keep_mode = true;
  // of missing parent directories, but not of a link's target; the umask applies
  unsigned directory_mode = 0755;
};

// Returns true if the content is for one user: a mode without group and others.
bool IsSecret(const WriteOptions& options);

// Users and groups that keep access to a secret when it is replaced. A file of any other owner
// becomes the writer's, so that its former owner does not get the new key.
struct SecretOwners {
  std::function<bool(unsigned uid)> user = [](unsigned) { return false; };
  std::function<bool(unsigned gid)> group = [](unsigned) { return false; };
};

// Returns the mode of a secret that replaces a file of mode `previous`: at most that mode, without
// access for others. The group has at most read access, and only if `with_group`.
unsigned SecretMode(unsigned previous, bool with_group);

// The symbolic links that a change follows on its way to a path: all of them, or those that only
// root can have created, in directories that only root can write.
struct LinkRule {
  bool roots_only = false;
  // Users whose links count as root's, root included.
  std::function<bool(unsigned uid)> owner = [](unsigned uid) { return uid == 0; };
};

// Reads and changes files. Every failure throws base::Error naming path and cause (kNotFound,
// kForbidden, kAlreadyExists, or kOther with the errno message); use Find for an optional file.
class Files {
 public:
  virtual ~Files() = default;

  // Returns the content, or std::nullopt if the file (or a parent) does not exist.
  virtual std::optional<std::string> Find(const fs::path& path) const = 0;
  // Returns std::nullopt if the path does not exist.
  virtual std::optional<FileInfo> Stat(const fs::path& path) const = 0;
  // List names the entries of a directory, sorted, without "." and "..". Throws kNotFound.
  virtual std::vector<std::string> List(const fs::path& path) const = 0;

  // Replaces the file's content atomically: temporary file in the same directory, fsync, rename,
  // fsync of the directory. A crash leaves the old content or the new. A failure (disk full) leaves
  // no temporary file; leftovers of a killed write are removed by the next one. A symbolic link is
  // kept and its target written, as far as LinksOf allows. A link that another user may have
  // created as a trap is not followed: one in a world-writable directory and, for a secret (a mode
  // without group and others), any link of another user. A secret that replaces a file becomes the
  // writing user's, with SecretMode at most. It keeps the file's owner or group if these are
  // SecretOwners and other users cannot write to the directory. A device, a pipe or a file that is
  // a mount point is written in place.
  virtual void Write(const fs::path& path, std::string_view content, WriteOptions options = {}) = 0;
  // MakeDirectories makes the directory and its missing parents with `mode` (less the umask).
  virtual void MakeDirectories(const fs::path& path, unsigned mode = 0755) = 0;
  virtual void SetMode(const fs::path& path, unsigned mode) = 0;
  // SetOwner and SetMode change what a link points to, as Write does.
  virtual void SetOwner(const fs::path& path, unsigned uid, unsigned gid) = 0;
  // Deletes a file or an empty directory; returns false if it does not exist.
  virtual bool Remove(const fs::path& path) = 0;
  // RemoveTree deletes a directory and all below it without following links or crossing mounts.
  virtual void RemoveTree(const fs::path& path) = 0;

  // Returns the real path of the content: the path itself, or its redirected path in the dry-run
  // directory. Messages about written files name it.
  virtual fs::path Location(const fs::path& path) const = 0;

  // Returns the rule for every change of this path: writing, creating, removing, renaming, modes
  // and owners. Reads follow all links.
  virtual LinkRule LinksOf(const fs::path& path) const = 0;

  // Find for a required file.
  std::string Read(const fs::path& path) const;
  bool Exists(const fs::path& path) const { return Stat(path).has_value(); }
};

// Selects whether writes survive a power failure. Only tests use kUnsynced, because most of the
// time of a small write is spent waiting for the disk.
enum class Durability { kSynced, kUnsynced };

// Files below `root` ("" or "/" for the machine itself): "/etc/x" means root + "/etc/x". If the
// process runs as root, LinksOf allows only root's links, except in paths that the user has named:
// a daemon's user who owns a directory in the path must not redirect root's writes.
class RealFiles : public Files {
 public:
  explicit RealFiles(fs::path root = "/", Durability durability = Durability::kSynced)
      : root_(std::move(root)), durability_(durability) {}
  std::optional<std::string> Find(const fs::path& path) const override;
  std::optional<FileInfo> Stat(const fs::path& path) const override;
  std::vector<std::string> List(const fs::path& path) const override;
  void Write(const fs::path& path, std::string_view content, WriteOptions options) override;
  void MakeDirectories(const fs::path& path, unsigned mode) override;
  void SetMode(const fs::path& path, unsigned mode) override;
  void SetOwner(const fs::path& path, unsigned uid, unsigned gid) override;
  bool Remove(const fs::path& path) override;
  void RemoveTree(const fs::path& path) override;
  fs::path Location(const fs::path& path) const override;
  LinkRule LinksOf(const fs::path& path) const override;
  // Sets the owners whose secrets stay readable; none by default. The links of those users count as
  // root's. Not thread-safe with writes.
  void KeepSecretsOf(SecretOwners owners) { secret_owners_ = std::move(owners); }
  // Adds paths that the user has named on the command line: in these and below them all links are
  // followed. Not thread-safe with writes.
  void FollowLinksOf(const std::vector<std::string>& named);

 private:
  fs::path Below(const fs::path& path) const;
  fs::path root_;
  Durability durability_;
  SecretOwners secret_owners_;
  std::vector<fs::path> named_;
};

// Redirects writes below `from` to `to` ("/etc/kubernetes/pki" → DIR).
struct Redirect {
  fs::path from;
  fs::path to;
};

// Writes only into its own directory and reads from there first, then from the machine. The longest
// matching `from` decides. A path that no redirect covers is in `fallback` under its whole name
// ("/var/x" → fallback/var/x). A path inside those directories is not redirected. Removing or
// changing a file of the machine itself does nothing, and the file stays visible.
class DryRunFiles : public Files {
 public:
  DryRunFiles(Files& real, std::vector<Redirect> redirects, fs::path fallback);
  std::optional<std::string> Find(const fs::path& path) const override;
  std::optional<FileInfo> Stat(const fs::path& path) const override;
  std::vector<std::string> List(const fs::path& path) const override;
  void Write(const fs::path& path, std::string_view content, WriteOptions options) override;
  void MakeDirectories(const fs::path& path, unsigned mode) override;
  void SetMode(const fs::path& path, unsigned mode) override;
  void SetOwner(const fs::path& path, unsigned uid, unsigned gid) override;
  bool Remove(const fs::path& path) override;
  void RemoveTree(const fs::path& path) override;
  // Returns the redirected path, whether or not it was written yet.
  fs::path Location(const fs::path& path) const override;
  LinkRule LinksOf(const fs::path& path) const override;

 private:
  Files& real_;
  std::vector<Redirect> redirects_;
  fs::path fallback_;
};

}  // namespace host
