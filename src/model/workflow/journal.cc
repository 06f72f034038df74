// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal.h"

#include "base/error.h"
#include "base/log.h"
#include "workflow/state_file.h"
#include "workflow/time_text.h"

namespace workflow {
namespace {

constexpr int kVersion = 1;
constexpr const char* kStarted = "started";
constexpr const char* kFinished = "finished";
constexpr const char* kFailed = "failed";

// A journal with a malformed time counts as old.
bool IsOld(const json::Value& journal, std::chrono::system_clock::time_point now) {
  const auto started = ParseTimeText(journal.at("started").get<std::string>());
  return !started || now - *started > kResumableFor;
}

}  // namespace

std::string JournalPath(const std::string& command) {
  return std::string(workflow::kDirectory) + "/journal-" + command + ".json";
}

Journal::Journal(JournalStore store, JournalKey key,
                 const std::function<std::chrono::system_clock::time_point()>& now)
    : store_(std::move(store)), key_(std::move(key)) {
  const auto started = now();
  document_ = {{"version", kVersion},
               {"run", key_.run_id},
               {"command", key_.command},
               {"configHash", key_.config_hash},
               {"started", TimeText(started)},
               {"state", "running"},
               {"settings", key_.settings},
               {"files", json::Value::object()},
               {"phases", json::Value::object()}};
  const std::optional<std::string> text = store_.get(JournalPath(key_.command));
  if (text) {
    ReadEarlier(*text, started);
  }
}

void Journal::ReadEarlier(const std::string& text, std::chrono::system_clock::time_point now) {
  try {
    const json::Value earlier = json::Parse(text);
    if (earlier.at("version") != kVersion || earlier.at("state") != "running" ||
        earlier.at("command") != key_.command) {
      return;
    }
    if (IsOld(earlier, now)) {
      base::LogWarning(
          "the previous \"kubeadm {}\" was not finished, and began more than {} hours ago: it is "
          "not resumed, since this machine may be in use by now; \"kubeadm reset\" undoes it",
          key_.command, kResumableFor.count());
      return;
    }
    TakeOver(earlier);
    resumes_ = true;
  } catch (const base::Error& error) {
    base::LogWarning("the journal {} is ignored: {}", JournalPath(key_.command), error.message());
  } catch (const json::Value::exception&) {
    earlier_files_.clear();
    base::LogWarning("the journal {} is ignored: it lacks a field", JournalPath(key_.command));
  }
}

void Journal::TakeOver(const json::Value& earlier) {
  config_changed_ = earlier.at("configHash") != key_.config_hash;
  for (const auto& [path, file] : earlier.at("files").items()) {
    earlier_files_[path] = file.at("sha256").get<std::string>();
    earlier_configs_[path] = file.value("configHash", earlier.at("configHash").get<std::string>());
  }
  // Journals of earlier releases lack the settings.
  if (const auto settings = earlier.find("settings"); settings != earlier.end()) {
    earlier_settings_ = settings->get<std::map<std::string, std::string>>();
  }
  document_["files"] = earlier.at("files");  // so that a rerun of this run also owns them
}

bool Journal::OwnsFile(const std::string& path, const std::string& sha256) const {
  return RecordedHash(path) == sha256;
}

std::optional<std::string> Journal::RecordedHash(const std::string& path) const {
  const auto file = earlier_files_.find(path);
  return file == earlier_files_.end() ? std::nullopt : std::optional(file->second);
}

bool Journal::IsForAnotherConfiguration(const std::string& path) const {
  const auto config = earlier_configs_.find(path);
  return config != earlier_configs_.end() && config->second != key_.config_hash;
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
  if (!wrote_) {
    return;
  }
  try {
    Save();
  } catch (const base::Error& error) {
    base::LogWarning("{}", error.message());
  }
}

void Journal::FileWritten(const std::string& phase, const std::string& path,
                          const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  document_["files"][path] = {
      {"phase", phase}, {"sha256", sha256}, {"configHash", key_.config_hash}};
  wrote_ = true;
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
