// SPDX-License-Identifier: Apache-2.0
#include "workflow/run.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/threads.h"

namespace workflow {
namespace {

using base::Error;

// The files that one phase writes and does not remove, from any thread.
class FileList {
 public:
  // The last content of a path counts.
  void Add(event::WrittenFile file) {
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const auto& each) { return each.path == file.path; });
    files_.push_back(std::move(file));
  }
  // Removes the path and all below it.
  void Remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const auto& each) {
      return each.path == path || each.path.starts_with(path + "/");
    });
  }
  std::vector<event::WrittenFile> All() const {
    const std::lock_guard lock(mutex_);
    return files_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<event::WrittenFile> files_;  // guarded by mutex_
};

// The context of one phase while it runs.
class StepContext : public Context {
 public:
  StepContext(const RunOptions& options, const std::string& path, FileList& files,
              std::stop_token stop)
      : options_(options), path_(path), files_(files), stop_(std::move(stop)) {}

  void Print(std::string_view text) override {
    options_.reporter.Emit(event::Message{.phase = path_, .text = std::string(text)});
  }
  void Warn(std::string_view text, std::source_location at) override {
    options_.reporter.Emit(event::Warning{.phase = path_, .text = std::string(text), .at = at});
  }
  void Remark(std::string_view text) override {
    options_.reporter.Emit(event::Remark{.phase = path_, .text = std::string(text)});
  }
  void Progress(std::optional<std::string_view> text) override {
    options_.reporter.Emit(
        event::Progress{.phase = path_, .text = std::optional<std::string>(text)});
  }
  void Retry(std::string_view why) override {
    options_.reporter.Emit(event::Retry{.phase = path_, .text = std::string(why)});
  }
  void Result(std::string_view name, const json::Value& value) override {
    options_.reporter.Emit(
        event::Result{.phase = path_, .name = std::string(name), .value = value});
  }
  void FileWritten(const std::string& path, const std::string& sha256) override {
    if (options_.journal != nullptr) {
      options_.journal->FileWritten(path_, path, sha256);
    }
    files_.Add({.path = path, .sha256 = sha256});
  }
  void FileRemoved(const std::string& path) override { files_.Remove(path); }
  std::stop_token Stop() const override { return stop_; }

 private:
  const RunOptions& options_;
  const std::string& path_;
  FileList& files_;
  const std::stop_token stop_;
};

// Assigns steps to threads. Every step goes from waiting to running to done. If the run is stopped,
// a waiting step stays waiting.
class Scheduler {
 public:
  Scheduler(const Plan& plan, AnyData data, const RunOptions& options)
      : plan_(plan),
        data_(data),
        options_(options),
        states_(plan.steps.size(), State::kWaiting),
        failures_(plan.steps.size()) {}

  void Run();

 private:
  enum class State { kWaiting, kRunning, kDone };
  struct Failure {
    Error error;
    bool interrupted = false;
  };

  void RunInOrder();
  void Work();
  std::optional<std::size_t> TakeReady();
  bool IsReady(std::size_t step) const;
  bool AnyRunning() const;
  void Finish(std::size_t step);
  void RunStep(std::size_t step);
  bool CallStep(std::size_t step, FileList& files);
  void NoteFailure(std::size_t step, Error error, event::PhaseFailed failed);
  std::vector<std::string> PathsOf(const std::vector<std::size_t>& steps) const;
  void ThrowFirstFailure() const;

  const Plan& plan_;
  AnyData data_;
  const RunOptions& options_;
  std::stop_source stop_;  // of the phases
  std::mutex mutex_;       // guards states_ and failures_
  std::condition_variable changed_;
  std::vector<State> states_;
  std::vector<std::optional<Failure>> failures_;
};

void Scheduler::Run() {
  event::PhasesPlanned planned;
  for (const Step& step : plan_.steps) {
    planned.phases.push_back(step.path);
  }
  options_.reporter.Emit(std::move(planned));
  for (const std::string& path : plan_.skipped) {
    options_.reporter.Emit(
        event::PhaseSkipped{.phase = path, .reason = event::PhaseSkipped::Reason::kRequest});
  }
  {
    const std::stop_callback interrupt(options_.stop, [this] {
      stop_.request_stop();
      // The lock excludes that a thread is between its check of stop_ and its wait, where it would
      // miss the notification.
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    const std::size_t threads = std::min<std::size_t>(options_.threads, plan_.steps.size());
    if (threads < 2) {
      RunInOrder();
    } else {
      base::Threads workers;
      for (std::size_t i = 0; i < threads; ++i) {
        workers.Add([this] { Work(); });
      }
      workers.Join();
    }
  }
  options_.reporter.Emit(event::PhasesEnded{});
  ThrowFirstFailure();
}

void Scheduler::RunInOrder() {
  for (std::size_t step = 0; step < plan_.steps.size() && !stop_.stop_requested(); ++step) {
    RunStep(step);
    Finish(step);
  }
}

// Runs steps until none is left. RunStep records an exception of a phase as that phase's failure.
// Any other exception, for example of a reporter, ends the run; this step then stays unfinished.
void Scheduler::Work() {
  try {
    while (const std::optional<std::size_t> step = TakeReady()) {
      RunStep(*step);
      Finish(*step);
    }
  } catch (...) {
    stop_.request_stop();
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    throw;
  }
}

// Waits until a step may start, and returns the first such step. Returns std::nullopt if no step
// will start any more. Steps wait only for earlier steps, so whenever no step runs, the first
// waiting step may start.
std::optional<std::size_t> Scheduler::TakeReady() {
  std::unique_lock lock(mutex_);
  while (!stop_.stop_requested()) {
    for (std::size_t step = 0; step < states_.size(); ++step) {
      if (IsReady(step)) {
        states_[step] = State::kRunning;
        return step;
      }
    }
    if (!AnyRunning()) {
      return std::nullopt;
    }
    changed_.wait(lock);
  }
  return std::nullopt;
}

bool Scheduler::IsReady(std::size_t step) const {
  return states_[step] == State::kWaiting &&
         std::ranges::all_of(plan_.steps[step].waits_for,
                             [&](std::size_t earlier) { return states_[earlier] == State::kDone; });
}

bool Scheduler::AnyRunning() const {
  return std::ranges::find(states_, State::kRunning) != states_.end();
}

void Scheduler::Finish(std::size_t step) {
  const std::lock_guard lock(mutex_);
  states_[step] = State::kDone;
  changed_.notify_all();
}

void Scheduler::RunStep(std::size_t step) {
  const auto start = options_.clock.Steady();
  const auto took = [&] {
    return std::chrono::duration_cast<Milliseconds>(options_.clock.Steady() - start);
  };
  const std::string& path = plan_.steps[step].path;
  FileList files;
  const auto fail = [&](Error error, bool interrupted = false) {
    NoteFailure(step, std::move(error),
                {.phase = path,
                 .took = took(),
                 .error = {},
                 .cancelled = interrupted,
                 .files = files.All()});
  };
  try {
    if (CallStep(step, files)) {
      options_.reporter.Emit(
          event::PhaseFinished{.phase = path, .took = took(), .files = files.All()});
    } else {
      options_.reporter.Emit(
          event::PhaseSkipped{.phase = path, .reason = event::PhaseSkipped::Reason::kCondition});
    }
  } catch (Error& error) {
    fail(std::move(error));
  } catch (const base::Interrupted& interrupted) {
    fail(interrupted.report(), true);
  } catch (const std::exception& error) {
    fail(Error(error.what()));
  }
}

std::vector<std::string> Scheduler::PathsOf(const std::vector<std::size_t>& steps) const {
  std::vector<std::string> paths;
  for (const std::size_t step : steps) {
    paths.push_back(plan_.steps[step].path);
  }
  return paths;
}

// Returns false if the phase's condition is false. Propagates exceptions of the phase.
bool Scheduler::CallStep(std::size_t index, FileList& files) {
  const Step& step = plan_.steps[index];
  if (!std::ranges::all_of(step.when, [&](const auto& holds) { return holds(data_); })) {
    return false;
  }
  options_.reporter.Emit(event::PhaseStarted{.phase = step.path, .after = PathsOf(step.waits_for)});
  if (options_.journal != nullptr) {
    options_.journal->PhaseStarted(step.path);
  }
  StepContext context(options_, step.path, files, stop_.get_token());
  step.run(data_, context);
  if (options_.journal != nullptr) {
    options_.journal->PhaseFinished(step.path);
  }
  return true;
}

void Scheduler::NoteFailure(std::size_t step, Error error, event::PhaseFailed failed) {
  const std::string& path = plan_.steps[step].path;
  failed.error = error.message();
  const bool interrupted = failed.cancelled;
  options_.reporter.Emit(std::move(failed));
  if (const std::string& name = plan_.steps[step].name; !name.empty()) {
    error.Prepend("error execution phase " + name);
  }
  {
    const std::lock_guard lock(mutex_);
    failures_[step] = Failure{.error = std::move(error), .interrupted = interrupted};
  }
  stop_.request_stop();
  if (options_.journal != nullptr) {
    options_.journal->PhaseFailed(path);
  }
}

void Scheduler::ThrowFirstFailure() const {
  const Failure* interrupted = nullptr;
  for (const std::optional<Failure>& failure : failures_) {
    if (failure && !failure->interrupted) {
      throw Error(failure->error);
    }
    interrupted = failure && interrupted == nullptr ? &*failure : interrupted;
  }
  if (interrupted != nullptr) {
    throw base::Interrupted(interrupted->error);
  }
  if (std::ranges::any_of(states_, [](State state) { return state != State::kDone; })) {
    throw base::Interrupted("interrupted");
  }
}

}  // namespace

void RunPhases(const Plan& plan, AnyData data, const RunOptions& options) {
  if (plan.data_type != nullptr && *plan.data_type != *data.type) {
    throw std::logic_error("the plan was made for another type of data");
  }
  Scheduler(plan, data, options).Run();
}

}  // namespace workflow
