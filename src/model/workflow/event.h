// SPDX-License-Identifier: Apache-2.0
// Event: what a run tells, as a value. docs/events.md says what each means to programs.
#pragma once

#include <chrono>
#include <optional>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

#include "json/value.h"

namespace workflow {

// Milliseconds are how long something took.
using Milliseconds = std::chrono::milliseconds;

namespace event {

// `phase` is the path of the phase that an event belongs to: "certs/ca". Where it is optional, what
// has none belongs to the run.

// RunStarted is the first event of a run, RunFinished the last one.
struct RunStarted {
  std::string command;  // "init"; the first event of a run
};
struct RunFinished {  // the last one
  Milliseconds took{0};
  std::optional<std::string> error;  // what ended the run; nothing when all went well
};

// PhasesPlanned names the phases that are about to run, in the order in which people read them;
// PhasesEnded says that none of them runs any more. Of no use to programs.
struct PhasesPlanned {
  std::vector<std::string> phases;
};
struct PhasesEnded {};

// WrittenFile is one that a phase has made or changed.
struct WrittenFile {
  std::string path;
  std::string sha256;  // of its content, in hexadecimal
};
// A phase that is planned starts, and then finishes or fails; or it is skipped.
struct PhaseStarted {
  std::string phase;
  std::vector<std::string> after;  // phases whose end it has waited for
};
struct PhaseSkipped {
  enum class Reason { kRequest, kCondition };
  std::string phase;
  Reason reason = Reason::kRequest;  // by --skip-phases, or because it does not apply
};
struct PhaseFinished {
  std::string phase;
  Milliseconds took{0};
  std::vector<WrittenFile> files;
};
struct PhaseFailed {
  std::string phase;
  Milliseconds took{0};
  std::string error;
  bool cancelled = false;  // because another one failed, or by the user
  std::vector<WrittenFile> files;
};

// Message is for people, on stdout.
struct Message {
  std::optional<std::string> phase;
  std::string text;  // one or more lines; the final line end is added
};
struct Warning {
  std::optional<std::string> phase;
  std::string text;
  std::source_location at = std::source_location::current();  // of the log's line
};
struct Remark {  // for stderr, in a form of its own; a warning to programs
  std::string phase;
  std::string text;
};
// Progress says what a phase waits for.
struct Progress {
  std::string phase;
  std::optional<std::string> text;  // what it waits for from now on; nothing: it no longer waits
};
struct Retry {
  std::string phase;
  std::string text;  // why a try failed that is followed by another one
};
// Result is a value for programs: people read Messages.
struct Result {
  std::optional<std::string> phase;
  std::string name;
  json::Value value;
};

struct Unknown {};  // read from a file that a later version has written

using What = std::variant<Unknown, RunStarted, RunFinished, PhasesPlanned, PhasesEnded,
                          PhaseStarted, PhaseSkipped, PhaseFinished, PhaseFailed, Message, Warning,
                          Remark, Progress, Retry, Result>;

// Cases makes a visitor of a What from a function for each case.
template <typename... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};

}  // namespace event

// Event is what happened, and when.
struct Event {
  std::chrono::system_clock::time_point time;
  event::What what;
};

}  // namespace workflow
