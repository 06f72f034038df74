// SPDX-License-Identifier: Apache-2.0
// Reporter: all output of a run, as lines for humans and events for programs.
#pragma once

#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

#include "host/clock.h"
#include "workflow/event.h"

namespace workflow {

// Receives the events of a run, one at a time, in the order of their times.
using Listener = std::function<void(const Event& event)>;

// Passes events, from any thread, to all listeners. `clock` provides the times of the events, and
// must outlive the reporter.
class Reporter {
 public:
  Reporter(const host::Clock& clock, std::vector<Listener> listeners)
      : clock_(clock), listeners_(std::move(listeners)) {}

  // Adds the time to the event. Propagates exceptions of a listener.
  void Emit(event::What what);
  // Emits a message that belongs to no phase.
  void Message(std::string text) { Emit(event::Message{.phase = {}, .text = std::move(text)}); }

 private:
  const host::Clock& clock_;
  const std::vector<Listener> listeners_;
  std::mutex mutex_;  // guards calls of the listeners
};

// Options of TextLines. `terminal_width` is the number of columns of stdout, or 0 if stdout is not
// a terminal. The streams and the clock must outlive the listener.
struct TextOptions {
  std::ostream& out;
  host::Clock& clock;
  std::size_t terminal_width = 0;
  std::ostream* err = &std::cerr;  // for remarks
};

// Returns a listener that prints lines. The lines of the first unfinished phase appear immediately;
// the lines of later phases appear when all earlier phases are done.
Listener TextLines(TextOptions options);

// Returns a listener that prints each event (docs/events.md) as one line when it happens.
Listener JsonLines(std::ostream& out);

// Runs `body`, reports its end and propagates its exceptions.
void Report(Reporter& reporter, const host::Clock& clock, const std::function<void()>& body);

}  // namespace workflow
