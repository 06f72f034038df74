// SPDX-License-Identifier: Apache-2.0
// RunRecord: what the events say about one run of phases, in a form that can be drawn.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "workflow/event.h"

namespace timeline {

// Milliseconds count from the beginning of the run where they are a point in time.
using Milliseconds = std::chrono::milliseconds;

// Wait is a time in which a phase waited for something.
struct Wait {
  Milliseconds begin{0};
  Milliseconds end{0};
  std::string text;
};

// Mark is something that happened in a phase.
struct Mark {
  enum class Kind { kRetry, kWarning } kind = Kind::kRetry;
  Milliseconds at{0};
  std::string text;
};

// Bar is one phase that has run.
struct Bar {
  enum class State { kDone, kFailed, kCancelled, kUnfinished } state = State::kUnfinished;
  std::string phase;
  Milliseconds begin{0};
  Milliseconds end{0};
  std::string error;               // of a failure
  std::vector<std::string> after;  // phases whose end it waited for
  std::vector<Wait> waits;
  std::vector<Mark> marks;
  bool critical = false;  // on the critical path

  Milliseconds Took() const { return end - begin; }
};

// Skipped is a phase that has not run.
struct Skipped {
  std::string phase;
  workflow::event::PhaseSkipped::Reason reason = workflow::event::PhaseSkipped::Reason::kRequest;
};

// RunRecord is one run, as its events tell it.
struct RunRecord {
  std::string command;  // "init"; "" when the events do not say
  std::string started;  // the time of the first event, RFC 3339; "": there is none
  Milliseconds length{0};
  bool finished = false;             // its last event is there
  std::optional<std::string> error;  // why it failed; nothing when all went well
  std::vector<Bar> bars;             // in the order in which they began
  std::vector<Skipped> skipped;
  // The chain of phases that determined when the run ended: indexes of bars, in order. Each began
  // when the one before it ended, because it needed it or the thread that ran it.
  std::vector<std::size_t> critical_path;
};

// ReadRun takes the last run of the events. Of unknown ones only the time counts. Time that goes
// back counts as standing still.
RunRecord ReadRun(std::span<const workflow::Event> events);

// CriticalPath of bars that have begun in this order. It ends with the phase that failed, else with
// the one that ended last.
std::vector<std::size_t> CriticalPath(std::span<const Bar> bars);

// DurationText is for people: "7 ms", "1.4 s", "2 m 05 s".
std::string DurationText(Milliseconds duration);

}  // namespace timeline
