// SPDX-License-Identifier: Apache-2.0
// The record of this node's last scheduled backup, for metrics and `doctor`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/files.h"

namespace backup {

inline constexpr std::string_view kLastBackupFile = "/var/lib/slipway/last-backup.json";

// A backup that was made and verified.
struct LastBackup {
  std::string path;
  std::chrono::sys_seconds created = {};
  std::int64_t size = 0;      // bytes
  std::int64_t revision = 0;  // of the restored snapshot
  bool operator==(const LastBackup&) const = default;
};

// Returns std::nullopt if the file does not exist. Throws base::Error(kInvalid), naming the file,
// if its content is malformed.
std::optional<LastBackup> FindLastBackup(const host::Files& files);

// Replaces the record. Throws base::Error with the kind of the file's error.
void SaveLastBackup(host::Files& files, const LastBackup& last);

}  // namespace backup
