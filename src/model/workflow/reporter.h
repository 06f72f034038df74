// SPDX-License-Identifier: Apache-2.0
// Reporter: everything that a run tells, to lines for people and events for programs.
#pragma once

#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

#include "host/clock.h"
#include "workflow/event.h"

namespace workflow {

// Listener takes the events of a run, one at a time, in the order of their times.
using Listener = std::function<void(const Event& event)>;

// Reporter hands what happens, from any thread, to all who listen. The clock, which gives events
// their times, outlives it.
class Reporter {
 public:
  Reporter(const host::Clock& clock, std::vector<Listener> listeners)
      : clock_(clock), listeners_(std::move(listeners)) {}

  // Emit gives the event its time. Throws what a listener throws.
  void Emit(event::What what);
  // Message is one that belongs to no phase.
  void Message(std::string text) { Emit(event::Message{.phase = {}, .text = std::move(text)}); }

 private:
  const host::Clock& clock_;
  const std::vector<Listener> listeners_;
  std::mutex mutex_;  // guards calls of the listeners
};

// TextOptions: `terminal_width` is that of stdout in columns; 0 when it is not a terminal. The
// streams and the clock must outlive the listener.
struct TextOptions {
  std::ostream& out;
  host::Clock& clock;
  std::size_t terminal_width = 0;
  std::ostream* err = &std::cerr;  // for remarks
};

// TextLines prints lines. The first unfinished phase is shown as it goes, the lines of later ones
// are held back until those before them are done.
Listener TextLines(TextOptions options);

// JsonLines prints each event (docs/events.md) as one line when it happens.
Listener JsonLines(std::ostream& out);

// Report runs `body`, tells its end to the reporter and passes on what it throws.
void Report(Reporter& reporter, const host::Clock& clock, const std::function<void()>& body);

}  // namespace workflow
