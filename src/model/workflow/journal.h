// SPDX-License-Identifier: Apache-2.0
// Journal: what a run has made so far, kept on disk, so that a rerun after a crash or a failure
// knows its own leftovers from what somebody else put there.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "json/value.h"

namespace workflow {

// JournalStore reads and writes a file of the host. `put` replaces the whole file in one step.
struct JournalStore {
  std::function<std::optional<std::string>(const std::string& path)> get;
  std::function<void(const std::string& path, const std::string& content)> put;
};

// Origin identifies what a run was asked for.
struct Origin {
  std::string config;  // the effective configuration as any text, without secrets
  // By name: values that what the run makes may come to hold for good.
  std::map<std::string, std::string> settings = {};
};

// JournalKey says which run this is. A run resumes an earlier one of the same command that began
// less than kResumableFor ago and did not complete, also when the configuration was fixed
// meanwhile.
struct JournalKey {
  std::string command;                               // "init"
  std::string config_hash;                           // Origin::config
  std::string run_id;                                // unique
  std::map<std::string, std::string> settings = {};  // Origin::settings
};

// kResumableFor: who makes a node and fails tries again on the same day. Later on it may have been
// finished by hand, phase by phase, and be at work.
inline constexpr std::chrono::hours kResumableFor{24};

// JournalPath is /var/lib/slipway/journal-<command>.json.
std::string JournalPath(const std::string& command);

// Journal may be used from several threads. It holds paths and hashes, never contents. It is stored
// with every file that is recorded, when a phase fails and at the end; a run that made nothing
// leaves no journal, or that of the run before as it is. So after a crash a phase may have gone
// further than its recorded state.
class Journal {
 public:
  // Reads what the last run left; a journal that cannot be read counts as none, with a warning.
  Journal(JournalStore store, JournalKey key,
          const std::function<std::chrono::system_clock::time_point()>& now);

  // resumes reports whether this run goes on with an earlier one, config_changed whether that had
  // another configuration: what it made of the old one may not fit any more.
  bool resumes() const { return resumes_; }
  bool config_changed() const { return config_changed_; }
  // earlier_files are the files that it wrote, by path, with the hashes of their contents.
  const std::map<std::string, std::string>& earlier_files() const { return earlier_files_; }
  // settings are those of this run, earlier_settings those of the run that is resumed.
  const std::map<std::string, std::string>& settings() const { return key_.settings; }
  const std::map<std::string, std::string>& earlier_settings() const { return earlier_settings_; }
  // OwnsFile reports whether that earlier run wrote the file, and with this content.
  bool OwnsFile(const std::string& path, const std::string& sha256) const;
  // RecordedHash is the content's hash as that earlier run wrote it; nothing if it did not. A file
  // that has another hash now was changed since.
  std::optional<std::string> RecordedHash(const std::string& path) const;
  // IsForAnotherConfiguration: that earlier run, or one before it, wrote the file, for another
  // configuration than this run's.
  bool IsForAnotherConfiguration(const std::string& path) const;

  void PhaseStarted(const std::string& phase);
  void PhaseFinished(const std::string& phase);
  // PhaseFailed only logs it when the journal cannot be stored: the phase's own failure counts.
  void PhaseFailed(const std::string& phase);
  void FileWritten(const std::string& phase, const std::string& path, const std::string& sha256);
  // Complete ends the run: a later one resumes nothing.
  void Complete();

 private:
  void ReadEarlier(const std::string& text, std::chrono::system_clock::time_point now);
  void TakeOver(const json::Value& earlier);
  void Save();

  const JournalStore store_;
  const JournalKey key_;
  bool resumes_ = false;
  bool config_changed_ = false;
  std::map<std::string, std::string> earlier_files_;  // path → hash, of the run that is resumed
  std::map<std::string, std::string> earlier_settings_;
  std::map<std::string, std::string> earlier_configs_;  // path → hash of the configuration
  std::mutex mutex_;                                    // guards document_
  json::Value document_;
  bool wrote_ = false;  // guarded by mutex_: this run made something
};

}  // namespace workflow
