// SPDX-License-Identifier: Apache-2.0
// A snapshot of etcd's data as a file.
#pragma once

#include <cstdint>
#include <string>

#include "backup/writer.h"
#include "etcd/client.h"
#include "host/files.h"
#include "json/value.h"

namespace etcd_maintenance {

// The new file.
struct SavedSnapshot {
  std::string path;
  std::int64_t size = 0;  // bytes
  // The revision of the member when the snapshot began. The snapshot may contain later revisions.
  std::int64_t revision = 0;
  std::string member;  // its name
  std::string sha256;  // of the file, in hexadecimal
};

// The request of SaveSnapshot.
struct SnapshotRequest {
  host::fs::path path;  // a new file
  // The name or id of a member. "" chooses the leader; without a leader, the most advanced member.
  std::string member = {};
  backup::Progress progress = {};  // may be empty
};

// Streams a snapshot into the file, in the format of `etcdctl snapshot save`: the database and its
// SHA-256. The file has mode 0600. It appears under its name when it is complete, matches etcd's
// checksum and is on the disk. Works without a majority. Throws base::Error: kAlreadyExists if the
// file exists, kUnavailable if no member answers, kNotFound for an unknown member, kInvalid for
// damaged data. Throws base::Interrupted after a stop request. No file remains after an error.
SavedSnapshot SaveSnapshot(etcd::Client& client, const host::Files& files,
                           const SnapshotRequest& request);

// Formats the output of `etcd snapshot`.
std::string TextOf(const SavedSnapshot& saved);
json::Value ObjectOf(const SavedSnapshot& saved);

}  // namespace etcd_maintenance
