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
  // True: an existing file keeps its mode, owner and attributes. A secret keeps only those that
  // SecretOwners and SecretMode allow.
  bool keep_mode = true;
  // The mode of missing parent directories, which are created; the umask applies. If the path is a
  // link, missing parents of its target are an error.
  unsigned directory_mode = 0755;
};

// Returns true if the content is for one user: a mode without group and others.
bool IsSecret(const WriteOptions& options);

// Users and groups that keep access to a secret when it is replaced. If the file has another owner,
// the writer owns the new file, so that the former owner cannot read the new secret.
struct SecretOwners {
  std::function<bool(unsigned uid)> user = [](unsigned) { return false; };
  std::function<bool(unsigned gid)> group = [](unsigned) { return false; };
};

// Returns the mode of a secret that replaces a file of mode `previous`. The result allows at most
// what `previous` allows, and nothing to others. The group gets at most read access, and only if
// `with_group`.
unsigned SecretMode(unsigned previous, bool with_group);

// The symbolic links that a change follows on the way to its path: all links, or only links that
// root alone can have created, in directories that only root can write.
struct LinkRule {
  bool roots_only = false;
  // Users whose links count as root's, root included.
  std::function<bool(unsigned uid)> owner = [](unsigned uid) { return uid == 0; };
};

// Reads and changes files. Every failure throws base::Error naming path and cause: kNotFound,
// kForbidden, kAlreadyExists, or kOther with the errno message. Use Find for an optional file.
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
  // fsync of the directory. After a crash the file has the old content or the new one. A failure
  // (disk full) leaves no temporary file; the next write removes leftovers of a killed write.
  //
  // A symbolic link stays, and its target is written, as far as LinksOf allows. Links that another
  // user may have created as a trap are not followed. In a world-writable directory with the sticky
  // bit, these are the links of users other than root, this user and the directory's owner. For a
  // secret (a mode without group and others), these are all links of users other than root and this
  // user, in every directory.
  //
  // A secret that replaces a file belongs to the writing user, with SecretMode at most. It keeps
  // the file's owner or group if they are SecretOwners and other users cannot write to the
  // directory. A device, a pipe or a file that is a mount point is written in place.
  virtual void Write(const fs::path& path, std::string_view content, WriteOptions options = {}) = 0;
  // MakeDirectories makes the directory and its missing parents with `mode` (less the umask).
  virtual void MakeDirectories(const fs::path& path, unsigned mode = 0755) = 0;
  virtual void SetMode(const fs::path& path, unsigned mode) = 0;
  // SetOwner and SetMode change the target of a link, as Write does.
  virtual void SetOwner(const fs::path& path, unsigned uid, unsigned gid) = 0;
  // Deletes a file or an empty directory; returns false if it does not exist.
  virtual bool Remove(const fs::path& path) = 0;
  // RemoveTree deletes a directory and all below it without following links or crossing mounts.
  virtual void RemoveTree(const fs::path& path) = 0;

  // Returns the location where the content is: the path itself, or its redirected path in the
  // dry-run directory. Messages about written files name this location.
  virtual fs::path Location(const fs::path& path) const = 0;

  // Returns the rule for every change of this path: writing, creating, removing, renaming, modes
  // and owners. Reads follow all links, whatever the rule says.
  virtual LinkRule LinksOf(const fs::path& path) const = 0;

  // Returns the content of a required file. Throws kNotFound if the file does not exist.
  std::string Read(const fs::path& path) const;
  bool Exists(const fs::path& path) const { return Stat(path).has_value(); }
};

// Selects whether writes survive a power failure. Only tests use kUnsynced, because most of the
// time of a small write is spent waiting for the disk.
enum class Durability { kSynced, kUnsynced };

// Files below `root` ("" or "/" for the machine itself): "/etc/x" means root + "/etc/x". If the
// process runs as root, LinksOf allows only root's links. A daemon's user who owns a directory in
// the path can therefore not redirect root's writes. In paths that the user has named, LinksOf
// allows all links.
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
  // Sets the users and groups whose secrets stay readable for them; none by default. Links of these
  // users count as root's. Must not run concurrently with writes.
  void KeepSecretsOf(SecretOwners owners) { secret_owners_ = std::move(owners); }
  // Adds paths that the user has named on the command line. In these paths and below them, all
  // links are followed. Must not run concurrently with writes.
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

// Writes only into its own directory. Reads from this directory first, then from the machine. The
// redirect with the longest matching `from` applies. A path without a redirect is stored in
// `fallback` under its whole name ("/var/x" → fallback/var/x). A path inside the directory or
// `fallback` is not redirected. Removing or changing a file of the machine itself has no effect:
// the file stays visible.
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
