// Reporter: everything that a run tells, as lines for people or as events for programs
// (docs/events.md).
#pragma once

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace workflow {

// Clocks are the caller's: this room does not ask the machine for the time.
struct Clocks {
  std::function<std::chrono::system_clock::time_point()> now;
  std::function<std::chrono::steady_clock::time_point()> steady;
};

using Milliseconds = std::chrono::milliseconds;

// PlannedStep is a phase that is about to run.
struct PlannedStep {
  std::string path;
  std::vector<std::size_t> after = {};  // indexes of earlier steps, whose ends it waits for
};

// Reporter takes what happens, from any thread. `step` is an index of the paths given to Begin.
class Reporter {
 public:
  virtual ~Reporter() = default;

  // RunStarted is the first call of a run: "init".
  virtual void RunStarted(std::string_view command) = 0;
  // Message and Warning belong to no phase.
  virtual void Message(std::string_view text) = 0;
  virtual void Warning(std::string_view text, std::source_location at) = 0;
  virtual void Result(std::string_view name, const json::Value& value) = 0;
  // RunFinished is the last call of a run; `error` is null when all went well.
  virtual void RunFinished(const base::Error* error, Milliseconds took) = 0;

  // Begin names the phases that are about to run, in the order in which people read them; End says
  // that none of them runs any more.
  virtual void Begin(std::vector<PlannedStep> steps) = 0;
  virtual void End() = 0;
  virtual void LeftOut(const std::string& path) = 0;  // by request; no step
  virtual void Started(std::size_t step) = 0;
  virtual void Skipped(std::size_t step) = 0;  // its condition does not hold
  virtual void Finished(std::size_t step, Milliseconds took) = 0;
  virtual void Failed(std::size_t step, const base::Error& error, Milliseconds took) = 0;
  virtual void StepMessage(std::size_t step, std::string_view text) = 0;
  virtual void StepWarning(std::size_t step, std::string_view text, std::source_location at) = 0;
  virtual void StepRemark(std::size_t step, std::string_view text) = 0;
  virtual void StepProgress(std::size_t step, std::string_view text) = 0;
  virtual void StepRetry(std::size_t step, std::string_view why) = 0;
  virtual void StepResult(std::size_t step, std::string_view name, const json::Value& value) = 0;
  virtual void StepFile(std::size_t step, const std::string& path, const std::string& sha256) = 0;
};

// TextOptions: `terminal_width` is that of stdout in columns; 0 when it is no terminal.
struct TextOptions {
  std::ostream& out;
  Clocks clocks;
  std::size_t terminal_width = 0;
  std::ostream* err = &std::cerr;  // for remarks
};

// MakeTextReporter prints lines. The first unfinished phase is shown as it goes, the lines of later
// ones are held back until those before them are done.
std::unique_ptr<Reporter> MakeTextReporter(TextOptions options);

// MakeEventReporter hands each event (docs/events.md) to `take` when it happens, one at a time.
using TakeEvent = std::function<void(const json::Value& event)>;
std::unique_ptr<Reporter> MakeEventReporter(TakeEvent take, Clocks clocks);

// PrintEvents prints each event as one line.
TakeEvent PrintEvents(std::ostream& out);

// MakeTee tells both reporters all that happens.
std::unique_ptr<Reporter> MakeTee(std::unique_ptr<Reporter> one, std::unique_ptr<Reporter> other);

// Report runs `body`, tells its end to the reporter and passes on what it throws.
void Report(Reporter& reporter, const Clocks& clocks, const std::function<void()>& body);

}  // namespace workflow
