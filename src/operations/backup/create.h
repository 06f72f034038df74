// SPDX-License-Identifier: Apache-2.0
// Making a backup of a control-plane node (docs/backup.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "age/header.h"
#include "backup/collect.h"
#include "backup/manifest.h"
#include "backup/writer.h"
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

// Returns the output of the command.
std::string TextOf(const Created& created);
json::Value ObjectOf(const Created& created);

// Returns a size for people: "12.3 MiB".
std::string SizeText(std::uint64_t bytes);

}  // namespace backup
