// SPDX-License-Identifier: Apache-2.0
// Verifying a backup without touching the node (docs/backup.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backup/etcd_tools.h"
#include "backup/manifest.h"
#include "backup/reader.h"
#include "base/show_line.h"
#include "host/host.h"
#include "json/value.h"

namespace backup {

// The content of the restored snapshot, as an etcd reports it.
struct EtcdCount {
  std::int64_t keys = 0;
  std::int64_t revision = 0;
};

// The result of Verify.
struct Verified {
  std::string path;
  Manifest manifest;
  std::int64_t pairs = 0;             // of a certificate and its key
  std::optional<EtcdCount> etcd;      // not set: no etcd was started
  std::string etcd_left_out;          // why no etcd was started; "" if one was
  std::vector<std::string> problems;  // reasons why the backup cannot be restored as it is
  std::vector<std::string> warnings;
};

// Dependencies of Verify. References must outlive the call.
struct VerifyDeps {
  host::Host& host;
  // Finds etcd programs that may use the directory. `image` is the image in the backup. Not set:
  // FindTools on the host is used.
  std::function<FoundTools(const std::string& image, const host::fs::path& directory)> find_tools =
      {};
  base::ShowLine say = {};  // may be empty
};

// Reads the whole backup (ReadBackup), and compares certificates with their keys and CAs. Restores
// the snapshot into an etcd, and counts this etcd's keys and reads its revision. The etcd listens
// on a Unix socket that only this function uses. The directory with its files is removed at the
// end. Throws the errors of ReadBackup; base::Error if etcd refuses the snapshot;
// base::Interrupted.
Verified Verify(const Reading& reading, const VerifyDeps& deps);

// The findings about certificates and keys.
struct PairFindings {
  std::int64_t pairs = 0;
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};

// Judges the files of a backup, by their paths on the node.
PairFindings JudgePairs(const Manifest& manifest, const std::map<std::string, std::string>& files,
                        std::chrono::sys_seconds now);

// Returns the output of the command.
std::string TextOf(const Verified& verified);
json::Value ObjectOf(const Verified& verified);

}  // namespace backup
