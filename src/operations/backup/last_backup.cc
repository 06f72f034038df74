// SPDX-License-Identifier: Apache-2.0
#include "backup/last_backup.h"

#include <fmt/core.h>

#include <span>

#include "base/error.h"
#include "json/fields.h"
#include "workflow/state_file.h"

namespace backup {
namespace {

constexpr std::int32_t kVersion = 1;

struct BackupRecord {
  std::int32_t version = 0;
  std::string path;
  std::int64_t created = 0;  // seconds since 1970
  std::int64_t size = 0;
  std::int64_t revision = 0;
  static std::span<const json::Field> Fields();
};

std::span<const json::Field> BackupRecord::Fields() {
  static const json::Field fields[] = {
      json::Describe<&BackupRecord::version>("version"),
      json::Describe<&BackupRecord::path>("path"),
      json::Describe<&BackupRecord::created>("created"),
      json::Describe<&BackupRecord::size>("size"),
      json::Describe<&BackupRecord::revision>("revision"),
  };
  return fields;
}

struct FailureRecord {
  std::int32_t version = 0;
  std::int64_t time = 0;  // seconds since 1970
  std::string error;
  static std::span<const json::Field> Fields();
};

std::span<const json::Field> FailureRecord::Fields() {
  static const json::Field fields[] = {
      json::Describe<&FailureRecord::version>("version"),
      json::Describe<&FailureRecord::time>("time"),
      json::Describe<&FailureRecord::error>("error"),
  };
  return fields;
}

std::chrono::sys_seconds TimeOf(std::int64_t seconds) {
  return std::chrono::sys_seconds(std::chrono::seconds(seconds));
}

template <typename Record>
Record Decode(const json::Value& json) {
  auto record = json::DecodeStrictly<Record>(json);
  if (record.version != kVersion) {
    throw base::Error(fmt::format("its version is {}, and this program reads version {}",
                                  record.version, kVersion));
  }
  return record;
}

// Returns the record in the file, std::nullopt if the file does not exist.
template <typename Record>
std::optional<Record> Find(const host::Files& files, std::string_view path) {
  return workflow::LoadStateFile(
      files,
      workflow::StateFile{.path = path,
                          .refusal = "{} is not the record of a backup: {}; remove it if no other "
                                     "release of this program is in use here"},
      Decode<Record>);
}

}  // namespace

std::optional<LastBackup> FindLastBackup(const host::Files& files) {
  return Find<BackupRecord>(files, kLastBackupFile).transform([](const BackupRecord& record) {
    return LastBackup{.path = record.path,
                      .created = TimeOf(record.created),
                      .size = record.size,
                      .revision = record.revision};
  });
}

void SaveLastBackup(host::Files& files, const LastBackup& last) {
  workflow::SaveStateFile(
      files, kLastBackupFile,
      json::Encode(BackupRecord{.version = kVersion,
                                .path = last.path,
                                .created = last.created.time_since_epoch().count(),
                                .size = last.size,
                                .revision = last.revision}));
}

std::optional<Failure> FindFailure(const host::Files& files) {
  return Find<FailureRecord>(files, kFailureFile).transform([](const FailureRecord& record) {
    return Failure{.time = TimeOf(record.time), .error = record.error};
  });
}

void SaveFailure(host::Files& files, const std::optional<Failure>& failure) {
  if (!failure) {
    files.Remove(kFailureFile);
    return;
  }
  workflow::SaveStateFile(
      files, kFailureFile,
      json::Encode(FailureRecord{.version = kVersion,
                                 .time = failure->time.time_since_epoch().count(),
                                 .error = failure->error}));
}

}  // namespace backup
