// SPDX-License-Identifier: Apache-2.0
// The records of this node's scheduled backups: the last verified one, and the last failure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/files.h"

namespace backup {

inline constexpr std::string_view kLastBackupFile = "/var/lib/slipway/last-backup.json";
inline constexpr std::string_view kFailureFile = "/var/lib/slipway/backup-failure.json";

// A backup that was made and verified.
struct LastBackup {
  std::string path;
  std::chrono::sys_seconds created = {};
  std::int64_t size = 0;      // bytes
  std::int64_t revision = 0;  // of the restored snapshot
  bool operator==(const LastBackup&) const = default;
};

// Loads the record. Returns std::nullopt if the file does not exist. Throws base::Error(kInvalid),
// naming the file, if its content is malformed.
std::optional<LastBackup> FindLastBackup(const host::Files& files);

// Replaces the record. Throws the errors of host::Files::Write.
void SaveLastBackup(host::Files& files, const LastBackup& last);

// The failure of the schedule's last run.
struct Failure {
  std::chrono::sys_seconds time = {};
  std::string error;
  bool operator==(const Failure&) const = default;
};

// Loads the record of the failure. Returns std::nullopt if the last run succeeded. Throws like
// FindLastBackup.
std::optional<Failure> FindFailure(const host::Files& files);

// Replaces the record; std::nullopt removes it. Throws the errors of host::Files.
void SaveFailure(host::Files& files, const std::optional<Failure>& failure);

}  // namespace backup
