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

// Collects the files of the node and streams a snapshot of etcd into a new file, mode 0600, or into
// an object of a bucket. The backup appears under its name when it is complete and on the disk.
// Throws the errors of Collect and NewOutput, kInvalid for an unencrypted backup over plain HTTP,
// kInvalid if the snapshot does not match etcd's checksum; base::Interrupted after a stop request.
// After any of these errors no file is left.
Created Create(const CreateRequest& request, const CollectionInput& sources,
               const EtcdAccess& etcd);

// Returns the output of the command.
std::string TextOf(const Created& created);
json::Value ObjectOf(const Created& created);

// Returns a size for people: "12.3 MiB".
std::string SizeText(std::uint64_t bytes);

}  // namespace backup
