// SPDX-License-Identifier: Apache-2.0
// The manifest of a backup: its content and its cluster (docs/backup.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"

namespace backup {

inline constexpr std::int32_t kFormat = 1;
// Names in the archive. The manifest is its first file, the checksums are its last.
inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kSumsName = "SHA256SUMS";
inline constexpr std::string_view kSnapshotName = "etcd/snapshot.db";
// The largest manifest that is read, in bytes.
inline constexpr std::uint64_t kLargestManifest = std::uint64_t{4} << 20U;
// The largest file of a node in a backup, in bytes.
inline constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 20U;

// The part of a backup that a file belongs to.
enum class Part : std::int32_t { kPki, kConfig, kEtcd };
std::span<const std::string_view> EnumNames(Part);

// A file of the node.
struct FileRecord {
  std::string path;  // on the node, absolute
  Part part = Part::kConfig;
  std::int64_t size = 0;   // bytes
  std::int32_t mode = 0;   // permission bits
  std::int64_t owner = 0;  // uid
  std::int64_t group = 0;  // gid
  // The target if the file is a link: a name in the same directory. "" if the file is not a link.
  // The archive has no file for a link.
  std::string link;
  static std::span<const json::Field> Fields();

  // Returns the file's name in the archive: "files/etc/kubernetes/admin.conf".
  std::string Name() const;
};

// The node that the backup was made on.
struct NodeRecord {
  std::string name;
  std::string address;  // of its API server
  std::int32_t port = 0;
  static std::span<const json::Field> Fields();
};

// A member of etcd.
struct MemberRecord {
  std::string name;
  std::vector<std::string> peer_urls;
  std::vector<std::string> client_urls;
  static std::span<const json::Field> Fields();
};

// The etcd of the cluster.
struct EtcdRecord {
  // True for an etcd that kubeadm does not run. Its image and data directory are unknown.
  bool external = false;
  std::string version;
  std::string image;
  std::string data_directory;
  std::string endpoint;    // of the member that made the snapshot
  std::string cluster_id;  // in hexadecimal
  // The revision when the snapshot began. The snapshot may also contain later revisions.
  std::int64_t revision = 0;
  std::int64_t snapshot = 0;  // bytes of the snapshot with its checksum
  std::vector<MemberRecord> members;
  static std::span<const json::Field> Fields();
};

struct Manifest {
  std::int32_t version = kFormat;  // of the manifest's format
  std::string id;                  // unique to the backup
  std::chrono::sys_seconds created;
  std::string created_by;          // the release of Slipway
  std::string kubernetes_version;  // of the API server's image
  std::string certificates_directory;
  NodeRecord node;
  EtcdRecord etcd;
  std::vector<FileRecord> files;
  std::vector<std::string> objects;  // their names in the archive
  std::vector<std::string> notes;    // the missing parts of the backup, with the reason
  static std::span<const json::Field> Fields();
};

// Parses a manifest. Throws base::Error(kInvalid) for another version, an unknown field, a relative
// path, a path that leads upward, and a file that appears twice.
Manifest ParseManifest(std::string_view text);
std::string ManifestText(const Manifest& manifest);

// Returns the name of a new backup: "kubeadm-NODE-20260131T235959Z.tar.zst.age".
std::string FileName(const Manifest& manifest, bool encrypted);

}  // namespace backup
