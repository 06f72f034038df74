// SPDX-License-Identifier: Apache-2.0
#include "workflow/reporter.h"

#include <ostream>
#include <utility>

#include "base/error.h"
#include "cli/terminal.h"
#include "json/value.h"
#include "workflow/event_json.h"

namespace workflow {

void Reporter::Emit(event::What what) {
  const std::lock_guard lock(mutex_);
  const Event event{.time = clock_.Now(), .what = std::move(what)};
  for (const Listener& listener : listeners_) {
    listener(event);
  }
}

Listener JsonLines(std::ostream& out) {
  return [&out](const Event& event) {
    if (const auto object = ToJson(event)) {
      out << cli::Exact{json::Compact(*object)} << '\n' << std::flush;
    }
  };
}

void Report(Reporter& reporter, const host::Clock& clock, const std::function<void()>& body) {
  const auto start = clock.Steady();
  const auto took = [&] {
    return std::chrono::duration_cast<Milliseconds>(clock.Steady() - start);
  };
  try {
    body();
  } catch (const base::Error& error) {
    reporter.Emit(event::RunFinished{.took = took(), .error = error.message()});
    throw;
  } catch (const base::Interrupted& interrupted) {
    reporter.Emit(event::RunFinished{.took = took(), .error = interrupted.message()});
    throw;
  }
  reporter.Emit(event::RunFinished{.took = took(), .error = {}});
}

}  // namespace workflow
