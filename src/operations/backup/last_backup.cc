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

struct Record {
  std::int32_t version = 0;
  std::string path;
  std::int64_t created = 0;  // seconds since 1970
  std::int64_t size = 0;
  std::int64_t revision = 0;
  static std::span<const json::Field> Fields();
};

std::span<const json::Field> Record::Fields() {
  static const json::Field fields[] = {
      json::Describe<&Record::version>("version"),   json::Describe<&Record::path>("path"),
      json::Describe<&Record::created>("created"),   json::Describe<&Record::size>("size"),
      json::Describe<&Record::revision>("revision"),
  };
  return fields;
}

LastBackup FromJson(const json::Value& json) {
  const auto record = json::DecodeStrictly<Record>(json);
  if (record.version != kVersion) {
    throw base::Error(fmt::format("its version is {}, and this program reads version {}",
                                  record.version, kVersion));
  }
  return {.path = record.path,
          .created = std::chrono::sys_seconds(std::chrono::seconds(record.created)),
          .size = record.size,
          .revision = record.revision};
}

}  // namespace

std::optional<LastBackup> FindLastBackup(const host::Files& files) {
  return workflow::LoadStateFile(
      files,
      workflow::StateFile{.path = kLastBackupFile,
                          .refusal = "{} is not the record of a backup: {}; remove it if no other "
                                     "release of this program is in use here"},
      FromJson);
}

void SaveLastBackup(host::Files& files, const LastBackup& last) {
  workflow::SaveStateFile(files, kLastBackupFile,
                          json::Encode(Record{.version = kVersion,
                                              .path = last.path,
                                              .created = last.created.time_since_epoch().count(),
                                              .size = last.size,
                                              .revision = last.revision}));
}

}  // namespace backup
