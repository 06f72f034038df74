// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal.h"

#include "base/error.h"
#include "base/log.h"
#include "state_files/state_file.h"
#include "workflow/time_text.h"

namespace workflow {
namespace {

constexpr int kVersion = 1;
constexpr const char* kStarted = "started";
constexpr const char* kFinished = "finished";
constexpr const char* kFailed = "failed";

}  // namespace

std::string JournalPath(const std::string& command) {
  return std::string(state_files::kDirectory) + "/journal-" + command + ".json";
}

Journal::Journal(JournalStore store, JournalKey key,
                 const std::function<std::chrono::system_clock::time_point()>& now)
    : store_(std::move(store)), key_(std::move(key)) {
  document_ = {{"version", kVersion},
               {"run", key_.run_id},
               {"command", key_.command},
               {"configHash", key_.config_hash},
               {"started", TimeText(now())},
               {"state", "running"},
               {"files", json::Value::object()},
               {"phases", json::Value::object()}};
  const std::optional<std::string> text = store_.get(JournalPath(key_.command));
  if (text) {
    ReadEarlier(*text);
  }
}

void Journal::ReadEarlier(const std::string& text) {
  try {
    const json::Value earlier = json::Parse(text);
    if (earlier.at("version") != kVersion || earlier.at("state") != "running" ||
        earlier.at("command") != key_.command) {
      return;
    }
    config_changed_ = earlier.at("configHash") != key_.config_hash;
    for (const auto& [path, file] : earlier.at("files").items()) {
      earlier_files_[path] = file.at("sha256").get<std::string>();
    }
    document_["files"] = earlier.at("files");  // still ours if this run fails as well
    resumes_ = true;
  } catch (const base::Error& error) {
    base::LogWarning("the journal {} is ignored: {}", JournalPath(key_.command), error.message());
  } catch (const json::Value::exception&) {
    earlier_files_.clear();
    base::LogWarning("the journal {} is ignored: it lacks a field", JournalPath(key_.command));
  }
}

bool Journal::OwnsFile(const std::string& path, const std::string& sha256) const {
  return RecordedHash(path) == sha256;
}

std::optional<std::string> Journal::RecordedHash(const std::string& path) const {
  const auto file = earlier_files_.find(path);
  return file == earlier_files_.end() ? std::nullopt : std::optional(file->second);
}

void Journal::PhaseStarted(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  document_["phases"][phase] = kStarted;
}

void Journal::PhaseFinished(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  document_["phases"][phase] = kFinished;
}

void Journal::PhaseFailed(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  document_["phases"][phase] = kFailed;
  try {
    Save();
  } catch (const base::Error& error) {
    base::LogWarning("{}", error.message());
  }
}

void Journal::FileWritten(const std::string& phase, const std::string& path,
                          const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  document_["files"][path] = {{"phase", phase}, {"sha256", sha256}};
  Save();
}

void Journal::Complete() {
  const std::lock_guard lock(mutex_);
  document_["state"] = "complete";
  Save();
}

void Journal::Save() {
  if (!document_["files"].empty()) {
    store_.put(JournalPath(key_.command), json::Pretty(document_, 2) + "\n");
  }
}

}  // namespace workflow
