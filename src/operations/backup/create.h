// SPDX-License-Identifier: Apache-2.0
// Creates a backup of a control-plane node (docs/backup.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "age/header.h"
#include "backup/collect.h"
#include "backup/manifest.h"
#include "backup/writer.h"
#include "engine/operation.h"
#include "json/value.h"

namespace backup {

// The request of Create.
struct CreateRequest {
  // A new file, an existing directory, or a key or a prefix of keys in a bucket.
  host::fs::path target;
  std::optional<age::Locks> locks;  // not set: not encrypted
  Progress progress = {};           // of the snapshot
  // Gets the size of the snapshot in bytes before its first piece is written; may be empty.
  std::function<void(std::uint64_t size)> on_size = {};
};

// A backup that is not written yet. Keeps the collected content in memory, including private keys;
// the destructor overwrites this memory.
class PlannedBackup {
 public:
  // Collects the content, and determines the path. Writes nothing. Throws the errors of Collect,
  // base::Error(kAlreadyExists) if a file of that path exists, and kInvalid for an unencrypted
  // backup over plain HTTP.
  PlannedBackup(CreateRequest request, const CollectionInput& sources, const EtcdAccess& etcd);
  ~PlannedBackup();
  PlannedBackup(const PlannedBackup&) = delete;
  PlannedBackup& operator=(const PlannedBackup&) = delete;

  const CreateRequest& request() const { return request_; }
  const host::fs::path& path() const { return path_; }
  const Manifest& manifest() const {
    return collected_.manifest;
  }  // the snapshot's size is not set yet
  Collected& collected() { return collected_; }

 private:
  CreateRequest request_;
  Collected collected_;
  host::fs::path path_;
};

// The new backup.
struct Created {
  std::string path;
  std::int64_t size = 0;  // bytes
  bool encrypted = false;
  Manifest manifest;
};

// Creates a backup: a file with mode 0600, or an object in a bucket. Collects the files of the node
// and streams a snapshot of etcd. The backup appears under its name only when it is complete and on
// the disk. Throws the errors of Collect and NewOutput. Throws kInvalid for an unencrypted backup
// over plain HTTP, and for a snapshot that does not match etcd's checksum. Throws base::Interrupted
// after a stop request. No file is left after an error.
Created Create(const CreateRequest& request, const CollectionInput& sources,
               const EtcdAccess& etcd);

// Writes a planned backup, once. Throws the errors of Create.
Created Write(PlannedBackup& backup, const CollectionInput& sources, const EtcdAccess& etcd);

// Returns an operation with one step, which calls Write and stores its result in `created`. The
// operation keeps no journal, because an interrupted run leaves no file. All references, including
// those in `sources`, must outlive the operation.
engine::Operation CreateOperation(PlannedBackup& backup, const CollectionInput& sources,
                                  const EtcdAccess& etcd, std::optional<Created>& created);

// TextOf and ObjectOf return the output of the command, for a plan or for a new backup.
std::string TextOf(const PlannedBackup& backup);
json::Value ObjectOf(const PlannedBackup& backup);
std::string TextOf(const Created& created);
json::Value ObjectOf(const Created& created);

// Returns a size for people: "12.3 MiB".
std::string SizeText(std::uint64_t bytes);

}  // namespace backup
