// SPDX-License-Identifier: Apache-2.0
// The journal of an operation's changes to this node, on disk, so that an interrupted run can be
// resumed or rolled back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"
#include "json/fields.h"
#include "json/value.h"
#include "workflow/state_file.h"

namespace engine {

// State of an operation. In kApplying and kRollingBack the node is between two configurations.
enum class State : std::int32_t {
  // The operation is being applied. If no process holds the node's lock, it was interrupted.
  kApplying,
  kDone,  // applied, and kept
  // The operation is being rolled back. If no process holds the node's lock, it was interrupted.
  kRollingBack,
  kTrying,  // applied on trial: rolled back at `until` unless confirmed
};
std::span<const std::string_view> EnumNames(State);

// State of a step that has begun.
enum class StepState : std::int32_t { kStarted, kDone, kRolledBack };
std::span<const std::string_view> EnumNames(StepState);

// The record of a step that has begun. Other steps have no record.
struct StepRecord {
  std::string id;
  StepState state = StepState::kStarted;
  static std::span<const json::Field> Fields();
};

// A file that the operation replaces.
struct FileBackup {
  std::string path;
  std::string copy;       // below Journal::directory; empty: the file is new
  std::int32_t mode = 0;  // permission bits of the file before, e.g. 0644
  // SHA-256 in hexadecimal of the content that the operation wrote; empty: nothing written yet
  std::string written;
  bool pod = false;  // a manifest that StepContext::RestorePods restores
  static std::span<const json::Field> Fields();
};

// The journal of one operation. It has paths and hashes, never contents of files.
struct Journal {
  std::int32_t version = 1;  // of this format
  std::string operation;     // Operation::name
  std::string id;            // unique to the run that began the operation
  State state = State::kApplying;
  json::Value intent;             // Operation::intent
  json::Value facts;              // Operation::facts, and the facts that steps have added
  std::int64_t until = 0;         // of kTrying: seconds since the epoch
  std::string directory;          // directory of the backups; "" if nothing has been backed up
  std::vector<StepRecord> steps;  // in the order in which they began
  std::vector<FileBackup> files;  // each path once
  static std::span<const json::Field> Fields();

  // HasBegun returns whether the step has begun and was not rolled back. HasDone returns whether
  // the step is complete and was not rolled back.
  bool HasBegun(std::string_view step) const;
  bool HasDone(std::string_view step) const;

  // Returns whether the operation is applied, for good or on trial: no run of it was interrupted.
  bool IsApplied() const { return state == State::kDone || state == State::kTrying; }

  const FileBackup* FindBackup(const host::fs::path& file) const;
};

// Returns the journals of all operations on this node that have begun and are not complete: they
// run, or were interrupted. Sorted by the operation's name. Throws the errors of LoadJournal.
std::vector<Journal> FindUnfinished(const host::Files& files);

// Returns "/var/lib/slipway/operation-NAME.json".
host::fs::path JournalPath(std::string_view operation);

// Loads the journal; returns std::nullopt if the file does not exist. Throws base::Error(kInvalid),
// naming the file, for a journal of another operation or version, and for a malformed file. An
// unknown field or value is an error too, because ignoring it could lose a change.
std::optional<Journal> LoadJournal(const host::Files& files, std::string_view operation);

// The file in which a release without the engine recorded an operation.
struct EarlierJournal {
  workflow::StateFile file;
  std::function<Journal(const json::Value& content)> convert;
};

// Loads the journal. If the operation has none, reads the file of an earlier release instead.
// Throws the errors of the other LoadJournal. Also throws base::Error(kInvalid), with the error of
// the earlier format, if the content of that file is malformed.
std::optional<Journal> LoadJournal(const host::Files& files, std::string_view operation,
                                   const EarlierJournal& earlier);

// Replaces the file atomically, readable by root alone.
void SaveJournal(host::Files& files, const Journal& journal);

// Removes the journal. Has no effect if the file does not exist.
void RemoveJournal(host::Files& files, std::string_view operation);

}  // namespace engine
