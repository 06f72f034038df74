// SPDX-License-Identifier: Apache-2.0
// RunRecord: the events of one run of phases, in a form that can be drawn.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "workflow/event.h"

namespace timeline {

// Points in time count from the beginning of the run.
using Milliseconds = std::chrono::milliseconds;

// A time in which a phase waited for something.
struct Wait {
  Milliseconds begin{0};
  Milliseconds end{0};
  std::string text;
};

// An event during a phase.
struct Mark {
  enum class Kind { kRetry, kWarning } kind = Kind::kRetry;
  Milliseconds at{0};
  std::string text;
};

// One phase that has run.
struct Bar {
  enum class State { kDone, kFailed, kCancelled, kUnfinished } state = State::kUnfinished;
  std::string phase;
  Milliseconds begin{0};
  Milliseconds end{0};
  std::string error;               // why the phase failed
  std::vector<std::string> after;  // phases that it waited for
  std::vector<Wait> waits;
  std::vector<Mark> marks;
  bool critical = false;  // on the critical path

  Milliseconds Took() const { return end - begin; }
};

// A phase that has not run.
struct Skipped {
  std::string phase;
  workflow::event::PhaseSkipped::Reason reason = workflow::event::PhaseSkipped::Reason::kRequest;
};

// One run, as recorded by its events.
struct RunRecord {
  std::string command;  // "init"; "" if the events do not say
  std::string started;  // the time of the first event, RFC 3339; "" without events
  Milliseconds length{0};
  bool finished = false;             // its last event is present
  std::optional<std::string> error;  // the reason of its failure; std::nullopt after a success
  std::vector<Bar> bars;             // in the order in which they began
  std::vector<Skipped> skipped;
  // The chain of phases that determined the end of the run, as indexes of `bars`, in order. Each
  // phase began when the previous phase of the chain ended, because it needed that phase's result
  // or thread.
  std::vector<std::size_t> critical_path;
};

// Reads the last run of the events. From an event of an unknown type, uses only the time. If an
// event's time is before the previous one, uses the previous time.
RunRecord ReadRun(std::span<const workflow::Event> events);

// Returns the critical path. `bars` must be in the order in which they began. The path ends with
// the failed phase or, if none failed, with the phase that ended last.
std::vector<std::size_t> CriticalPath(std::span<const Bar> bars);

// Formats for humans: "7 ms", "1.4 s", "2 m 05 s".
std::string DurationText(Milliseconds duration);

}  // namespace timeline
