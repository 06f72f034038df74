// SPDX-License-Identifier: Apache-2.0
// Event: a report of a run, as a value. docs/events.md describes each event for programs.
#pragma once

#include <chrono>
#include <optional>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

#include "json/value.h"

namespace workflow {

// A duration.
using Milliseconds = std::chrono::milliseconds;

namespace event {

// `phase` is the path of the event's phase: "certs/ca". If `phase` is optional and not set, the
// event belongs to the run.

// RunStarted is the first event of a run, RunFinished the last one.
struct RunStarted {
  std::string command;  // "init"
};
struct RunFinished {
  Milliseconds took{0};
  std::optional<std::string> error;  // the reason of the run's end; std::nullopt after a success
};

// PhasesPlanned names the phases that will run, in the order of the output. PhasesEnded reports
// that no phase runs any more. Neither event is passed to programs.
struct PhasesPlanned {
  std::vector<std::string> phases;
};
struct PhasesEnded {};

// A file that a phase has created or changed.
struct WrittenFile {
  std::string path;
  std::string sha256;  // of its content, in hexadecimal
};
// The events of a planned phase: it starts, and then finishes or fails; or it is skipped.
struct PhaseStarted {
  std::string phase;
  std::vector<std::string> after;  // phases that it has waited for
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
  bool cancelled = false;  // stopped, because another phase failed or the user interrupted
  std::vector<WrittenFile> files;
};

// A message for humans, on stdout.
struct Message {
  std::optional<std::string> phase;
  std::string text;  // one or more lines; the final line end is added
};
struct Warning {
  std::optional<std::string> phase;
  std::string text;
  std::source_location at = std::source_location::current();  // shown in the log line
};
// Lines for stderr in a phase's own format. Programs that read events get a warning instead.
struct Remark {
  std::string phase;
  std::string text;
};
// Reports what a phase waits for.
struct Progress {
  std::string phase;
  std::optional<std::string> text;  // the subject of the wait; std::nullopt ends the wait
};
struct Retry {
  std::string phase;
  std::string text;  // why the latest attempt failed
};
// A value for programs: humans read Messages.
struct Result {
  std::optional<std::string> phase;
  std::string name;
  json::Value value;
};

// An event of a later version, read from a file.
struct Unknown {};

using What = std::variant<Unknown, RunStarted, RunFinished, PhasesPlanned, PhasesEnded,
                          PhaseStarted, PhaseSkipped, PhaseFinished, PhaseFailed, Message, Warning,
                          Remark, Progress, Retry, Result>;

// Builds a visitor of a What from a function for each case.
template <typename... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};

}  // namespace event

// An event with its time.
struct Event {
  std::chrono::system_clock::time_point time;
  event::What what;
};

}  // namespace workflow
