// SPDX-License-Identifier: Apache-2.0
// Files of a host, below a root: the machine's own, a test's, or one to which a dry
// run writes what it would have written.
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

// kLostAndFound is the directory that mkfs makes in the root of a file system. It belongs to it.
inline constexpr std::string_view kLostAndFound = "lost+found";

// FileInfo is what lstat(2) says of a path (a symbolic link is not followed).
struct FileInfo {
  enum class Kind { kFile, kDirectory, kLink, kOther } kind = Kind::kFile;
  unsigned mode = 0;  // permission bits, 07777
  unsigned uid = 0;
  unsigned gid = 0;
  std::uint64_t size = 0;
  std::chrono::system_clock::time_point modified;
};

// WriteOptions says how a file comes to be.
struct WriteOptions {
  unsigned mode = 0600;            // of a new file; what it gives to others than the owner is
                                   // subject to the umask
  bool keep_mode = true;           // an existing file keeps its mode, owner and attributes; of
                                   // a secret (SecretOwners) less of them
  unsigned directory_mode = 0755;  // of missing parent directories, but not of a link's target;
                                   // subject to the umask
};

// IsSecret is whether what is written is for one user's eyes: a mode without group and others.
bool IsSecret(const WriteOptions& options);

// SecretOwners are users and groups that a secret stays readable for when it is replaced. Of any
// other owner it becomes the writer's: who had the file before must not have the new key.
struct SecretOwners {
  std::function<bool(unsigned uid)> user = [](unsigned) { return false; };
  std::function<bool(unsigned gid)> group = [](unsigned) { return false; };
};

// SecretMode is the mode of a secret that replaces a file of mode `previous`: no wider than that,
// and nothing for others; for the group reading at most, and only `with_group`.
unsigned SecretMode(unsigned previous, bool with_group);

// LinkRule says which symbolic links a change follows on its way to a path: all of them, or those
// of which only root can be the author, in directories that only root can write.
struct LinkRule {
  bool roots_only = false;
  // Users whose links count as root's, root included.
  std::function<bool(unsigned uid)> owner = [](unsigned uid) { return uid == 0; };
};

// Files reads and changes files. Every failure throws base::Error naming path and cause
// (kNotFound, kForbidden, kAlreadyExists, or kOther with the errno text); a file that may
// legitimately be absent has Find.
class Files {
 public:
  virtual ~Files() = default;

  // Find returns the content, or nothing when there is no such file (or a parent is missing).
  virtual std::optional<std::string> Find(const fs::path& path) const = 0;
  // Stat returns nothing when the path does not exist.
  virtual std::optional<FileInfo> Stat(const fs::path& path) const = 0;
  // List names the entries of a directory, sorted, without "." and "..". Throws kNotFound.
  virtual std::vector<std::string> List(const fs::path& path) const = 0;

  // Write replaces the file's content in one step: temporary file in the same directory, fsync,
  // rename, fsync of the directory. A crash leaves the old content or the new, never a part, and a
  // failure (disk full) leaves no temporary file; what a killed write left goes with the next. A
  // symbolic link is kept and its target written, as far as LinksOf allows; never where another
  // user may have laid it as a trap: in a directory that everybody may write, for a secret (a mode
  // without group and others) anywhere. A secret that replaces a file is the writing user's and no
  // wider than SecretMode, unless that file's owner or group is one of the SecretOwners and nobody
  // else may write into the directory. A device, a pipe or a file that is a mount point is written
  // in place.
  virtual void Write(const fs::path& path, std::string_view content, WriteOptions options = {}) = 0;
  // MakeDirectories makes the directory and its missing parents with `mode` (less the umask).
  virtual void MakeDirectories(const fs::path& path, unsigned mode = 0755) = 0;
  virtual void SetMode(const fs::path& path, unsigned mode) = 0;
  // SetOwner and SetMode change what a link points to, as Write does.
  virtual void SetOwner(const fs::path& path, unsigned uid, unsigned gid) = 0;
  // Remove deletes a file or an empty directory; false when there was none.
  virtual bool Remove(const fs::path& path) = 0;
  // RemoveTree deletes a directory and all below it without following links or crossing mounts.
  virtual void RemoveTree(const fs::path& path) = 0;

  // Location is where the path's content really lies: the path itself, or its place in the
  // dry-run directory. Messages about written files name it.
  virtual fs::path Location(const fs::path& path) const = 0;

  // LinksOf is the rule for whatever changes this path: writing, making, removing, renaming, modes
  // and owners. Reading follows all links.
  virtual LinkRule LinksOf(const fs::path& path) const = 0;

  // Read is Find for a file that must be there.
  std::string Read(const fs::path& path) const;
  bool Exists(const fs::path& path) const { return Stat(path).has_value(); }
};

// Durability says whether what was written outlives a power cut. Only tests do without: waiting
// for the disk is most of the time that a small write takes.
enum class Durability { kSynced, kUnsynced };

// RealFiles works below `root` ("" or "/" for the machine itself): "/etc/x" means root + "/etc/x".
// For root, LinksOf is root's links only, but for paths that the user has named: a daemon's user
// who owns a directory on the way must not lead root elsewhere.
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
  // KeepSecretsOf: nobody keeps any before that. The links of those users count as root's. Not
  // while other threads write.
  void KeepSecretsOf(SecretOwners owners) { secret_owners_ = std::move(owners); }
  // FollowLinksOf adds paths that the user has named on the command line: in these and below them
  // all links are followed. Not while other threads write.
  void FollowLinksOf(const std::vector<std::string>& named);

 private:
  fs::path Below(const fs::path& path) const;
  fs::path root_;
  Durability durability_;
  SecretOwners secret_owners_;
  std::vector<fs::path> named_;
};

// Redirect sends what is written below `from` to `to` ("/etc/kubernetes/pki" → DIR).
struct Redirect {
  fs::path from;
  fs::path to;
};

// DryRunFiles writes only into its own directory and reads from there first, then from the machine
// beneath. The longest matching `from` decides; a path that none covers lands in `fallback`
// under its whole name ("/var/x" → fallback/var/x); a path inside those directories stays what it
// is. Removing or changing something of the machine itself does nothing, and it goes on being seen.
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
  // Location is the redirected path, whether or not anything was written there yet.
  fs::path Location(const fs::path& path) const override;
  LinkRule LinksOf(const fs::path& path) const override;

 private:
  Files& real_;
  std::vector<Redirect> redirects_;
  fs::path fallback_;
};

}  // namespace host
