// SPDX-License-Identifier: Apache-2.0
// Journal: the files that a run has created so far, recorded on disk. After a crash or a failure, a
// rerun can distinguish the files of the earlier run from the files of other programs.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "json/value.h"

namespace workflow {

// Reads and writes a file of the host. `put` replaces the whole file atomically.
struct JournalStore {
  std::function<std::optional<std::string>(const std::string& path)> get;
  std::function<void(const std::string& path, const std::string& content)> put;
};

// The identity of a run's inputs.
struct Origin {
  std::string config;  // the effective configuration in any text form, without secrets
  // Settings by name. The run's results may store their values permanently.
  std::map<std::string, std::string> settings = {};
};

// The identity of a run. A run resumes an incomplete run of the same command that began less than
// kResumableFor ago. The configuration may differ from the resumed run's.
struct JournalKey {
  std::string command;                               // "init"
  std::string config_hash;                           // Origin::config
  std::string run_id;                                // unique
  std::map<std::string, std::string> settings = {};  // Origin::settings
};

// The time in which a run can be resumed. Users usually retry a failed node on the same day. After
// more than a day, a user may have completed the node phase by phase, and the node may be in use.
inline constexpr std::chrono::hours kResumableFor{24};

// JournalPath is /var/lib/slipway/journal-<command>.json.
std::string JournalPath(const std::string& command);

// Contains paths and hashes of files, never their contents. The journal is saved with every
// recorded file, when a phase fails, and at the end of the run. A run that writes no file saves no
// journal, and leaves a previous one unchanged, unless it completes a resumed run. After a crash, a
// phase may have done more than the journal shows. Thread-safe.
class Journal {
 public:
  // Loads the last run's journal; an unreadable one counts as missing, with a warning.
  Journal(JournalStore store, JournalKey key,
          const std::function<std::chrono::system_clock::time_point()>& now);

  // resumes returns whether this run resumes an earlier run. config_changed returns whether the
  // earlier run had another configuration, so that its files may not match this run's
  // configuration.
  bool resumes() const { return resumes_; }
  bool config_changed() const { return config_changed_; }
  // The files that the resumed run wrote, by path, with the hashes of their contents.
  const std::map<std::string, std::string>& earlier_files() const { return earlier_files_; }
  // settings returns the settings of this run, earlier_settings those of the resumed run.
  const std::map<std::string, std::string>& settings() const { return key_.settings; }
  const std::map<std::string, std::string>& earlier_settings() const { return earlier_settings_; }
  // Returns whether the resumed run wrote the file with this content.
  bool OwnsFile(const std::string& path, const std::string& sha256) const;
  // Returns the hash of the content that the earlier run wrote; std::nullopt if that run did not
  // write the file. If the file's current hash differs, the file was changed since.
  std::optional<std::string> RecordedHash(const std::string& path) const;
  // Returns whether the file was written, by the earlier run or a run before it, for a
  // configuration that differs from this run's.
  bool IsForAnotherConfiguration(const std::string& path) const;

  void PhaseStarted(const std::string& phase);
  void PhaseFinished(const std::string& phase);
  // Only logs if the journal cannot be saved: the phase's own failure counts.
  void PhaseFailed(const std::string& phase);
  void FileWritten(const std::string& phase, const std::string& path, const std::string& sha256);
  // Marks the run as complete, so that no later run resumes it.
  void Complete();

 private:
  void ReadEarlier(const std::string& text, std::chrono::system_clock::time_point now);
  void TakeOver(const json::Value& earlier);
  void Save();

  const JournalStore store_;
  const JournalKey key_;
  bool resumes_ = false;
  bool config_changed_ = false;
  std::map<std::string, std::string> earlier_files_;  // path → hash, of the resumed run
  std::map<std::string, std::string> earlier_settings_;
  std::map<std::string, std::string> earlier_configs_;  // path → hash of the configuration
  std::mutex mutex_;                                    // guards document_
  json::Value document_;
  bool wrote_ = false;  // guarded by mutex_: this run has recorded a file
};

}  // namespace workflow
