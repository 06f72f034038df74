// SPDX-License-Identifier: Apache-2.0
#include "engine/journal.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/problems.h"
#include "workflow/state_file.h"

namespace engine {
namespace {

constexpr std::string_view kFilePrefix = "operation-";
constexpr std::string_view kFileSuffix = ".json";
constexpr std::int32_t kVersion = 1;

bool IsBelow(const host::fs::path& path, const std::string& directory) {
  return !directory.empty() && path == path.lexically_normal() &&
         path.string().starts_with(directory + "/");
}

// Throws base::Error(kInvalid) unless the journal is usable.
void RequireConsistent(const Journal& journal, std::string_view operation) {
  base::Problems problems;
  if (journal.operation != operation) {
    problems.Add("operation", base::InvalidValue(journal.operation, "of another operation"));
  }
  if (!journal.directory.empty() && !host::fs::path(journal.directory).is_absolute()) {
    problems.Add("directory", base::InvalidValue(journal.directory, "not an absolute path"));
  }
  for (const FileBackup& file : journal.files) {
    if (!host::fs::path(file.path).is_absolute()) {
      problems.Add("files", base::InvalidValue(file.path, "not an absolute path"));
    }
    if (!file.copy.empty() && !IsBelow(file.copy, journal.directory)) {
      problems.Add("files", base::InvalidValue(file.copy, "not in the directory of the backups"));
    }
  }
  problems.ThrowIfAny();
}

Journal FromJson(const json::Value& json, std::string_view operation) {
  // The version is checked first: a journal of another version may have other fields, and the error
  // must name the version instead of a field.
  if (const json::Value& version = json::At(json, {"version"}); version != kVersion) {
    throw base::Error(
        fmt::format("its version is {}, and this program reads version {}: finish the operation "
                    "with the release of kubeadm that began it",
                    json::Compact(version), kVersion));
  }
  auto journal = json::DecodeStrictly<Journal>(json);
  RequireConsistent(journal, operation);
  return journal;
}

}  // namespace

std::span<const std::string_view> EnumNames(State) {
  static constexpr std::string_view kNames[] = {"applying", "done", "rollingBack", "trying"};
  return kNames;
}

std::span<const std::string_view> EnumNames(StepState) {
  static constexpr std::string_view kNames[] = {"started", "done", "rolledBack"};
  return kNames;
}

std::span<const json::Field> StepRecord::Fields() {
  static const json::Field fields[] = {
      json::Describe<&StepRecord::id>("id").Always(),
      json::Describe<&StepRecord::state>("state"),
  };
  return fields;
}

std::span<const json::Field> FileBackup::Fields() {
  static const json::Field fields[] = {
      json::Describe<&FileBackup::path>("path").Always(),
      json::Describe<&FileBackup::copy>("copy"),
      json::Describe<&FileBackup::mode>("mode"),
      json::Describe<&FileBackup::written>("written"),
      json::Describe<&FileBackup::pod>("pod"),
  };
  return fields;
}

std::span<const json::Field> Journal::Fields() {
  static const json::Field fields[] = {
      json::Describe<&Journal::version>("version"),
      json::Describe<&Journal::operation>("operation"),
      json::Describe<&Journal::id>("id"),
      json::Describe<&Journal::state>("state"),
      json::Describe<&Journal::intent>("intent"),
      json::Describe<&Journal::facts>("facts"),
      json::Describe<&Journal::until>("until"),
      json::Describe<&Journal::directory>("directory"),
      json::Describe<&Journal::steps>("steps"),
      json::Describe<&Journal::files>("files"),
  };
  return fields;
}

bool Journal::HasBegun(std::string_view step) const {
  return std::ranges::any_of(steps, [&](const StepRecord& record) {
    return record.id == step && record.state != StepState::kRolledBack;
  });
}

bool Journal::HasDone(std::string_view step) const {
  return std::ranges::any_of(steps, [&](const StepRecord& record) {
    return record.id == step && record.state == StepState::kDone;
  });
}

const FileBackup* Journal::FindBackup(const host::fs::path& file) const {
  const auto backup = std::ranges::find(files, file.string(), &FileBackup::path);
  return backup == files.end() ? nullptr : &*backup;
}

host::fs::path JournalPath(std::string_view operation) {
  return fmt::format("{}/{}{}{}", workflow::kDirectory, kFilePrefix, operation, kFileSuffix);
}

std::optional<Journal> LoadJournal(const host::Files& files, std::string_view operation) {
  const std::string path = JournalPath(operation).string();
  return workflow::LoadStateFile(
      files,
      {.path = path,
       .refusal = "{} is not the journal of an operation: {}; remove it if no operation on this "
                  "node is to be resumed or rolled back"},
      [&](const json::Value& json) { return FromJson(json, operation); });
}

std::optional<Journal> LoadJournal(const host::Files& files, std::string_view operation,
                                   const EarlierJournal& earlier) {
  if (std::optional<Journal> journal = LoadJournal(files, operation)) {
    return journal;
  }
  return workflow::LoadStateFile(files, earlier.file, [&](const json::Value& json) {
    Journal journal = earlier.convert(json);
    RequireConsistent(journal, operation);
    return journal;
  });
}

std::vector<Journal> FindUnfinished(const host::Files& files) {
  std::vector<Journal> unfinished;
  if (!files.Exists(workflow::kDirectory)) {
    return unfinished;
  }
  for (const std::string& file : files.List(workflow::kDirectory)) {
    if (file.starts_with(kFilePrefix) && file.ends_with(kFileSuffix)) {
      const std::string_view name = std::string_view(file).substr(
          kFilePrefix.size(), file.size() - kFilePrefix.size() - kFileSuffix.size());
      std::optional<Journal> journal = LoadJournal(files, name);
      if (journal && !journal->IsApplied()) {
        unfinished.push_back(std::move(*journal));
      }
    }
  }
  std::ranges::sort(unfinished, {}, &Journal::operation);
  return unfinished;
}

void SaveJournal(host::Files& files, const Journal& journal) {
  workflow::SaveStateFile(files, JournalPath(journal.operation).string(), json::Encode(journal));
}

void RemoveJournal(host::Files& files, std::string_view operation) {
  files.Remove(JournalPath(operation));
}

}  // namespace engine
