// SPDX-License-Identifier: Apache-2.0
#include "engine/operation.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "engine/trial.h"
#include "workflow/plan.h"
#include "workflow/resume.h"
#include "workflow/run.h"

namespace engine {
namespace {

using base::Error;

using Function = std::function<void(StepContext&)>;

Journal NewJournal(const Operation& operation, host::Host& host) {
  return {.operation = operation.name,
          .id = base::HexEncode(host.random.Bytes(8)),
          .state = State::kApplying,
          .intent = operation.intent,
          .facts = operation.facts,
          .directory = {},
          .steps = {},
          .files = {}};
}

StepRecord& RecordOf(Journal& journal, const std::string& id) {
  const auto record = std::ranges::find(journal.steps, id, &StepRecord::id);
  return record != journal.steps.end() ? *record : journal.steps.emplace_back(StepRecord{.id = id});
}

void SaveIfKept(const Operation& operation, const Journal& journal, host::Files& files) {
  if (operation.keeps_journal) {
    SaveJournal(files, journal);
  }
}

// Converts steps into phases of a workflow, which provides events, progress and the interrupt.
class Runner {
 public:
  Runner(const Operation& operation, Journal& journal, const OperationDeps& deps)
      : operation_(operation), journal_(journal), deps_(deps) {}
  Runner(const Runner&) = delete;  // the phases hold references to it
  Runner& operator=(const Runner&) = delete;

  // Adds a phase that calls the function. The journal records the step as started before the call,
  // and sets its state to `after` when the call has returned.
  void Add(const std::string& id, const Function& function, StepState after) {
    const std::size_t index = plan_.steps.size();
    plan_.steps.push_back(
        {.path = id,
         .name = {},
         .waits_for = index == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{index - 1},
         .when = {},
         .run = [=, this](workflow::AnyData&, workflow::Context& context) {
           Record(id, StepState::kStarted);
           StepContext step(deps_.host, journal_, operation_.tag, context);
           function(step);
           Record(id, after);
         }});
  }

  void Run() {
    workflow::RunPhases(
        plan_, workflow::AnyData{},
        {.reporter = deps_.reporter, .clock = deps_.host.clock, .threads = 1, .stop = deps_.stop});
  }

 private:
  void Record(const std::string& id, StepState state) {
    RecordOf(journal_, id).state = state;
    SaveIfKept(operation_, journal_, deps_.host.files);
  }

  const Operation& operation_;
  Journal& journal_;
  const OperationDeps& deps_;
  workflow::Plan plan_;
};

// Calls `act` and adds the remedy to an error that it throws. The source locations of the original
// error are logged, because the new error does not contain them.
void WithRemedy(const std::string& remedy, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    if (remedy.empty()) {
      throw;
    }
    for (const std::source_location& place : error.trace()) {
      base::LogInfo(5, "a step failed at {}:{}", place.file_name(), place.line());
    }
    throw Error(error.kind(), fmt::format("{}\n{}", error.message(), remedy));
  }
}

// Throws base::Error(kNotFound) unless every backup exists.
void RequireBackups(const Journal& journal, const host::Files& files) {
  for (const FileBackup& file : journal.files) {
    if (!file.copy.empty() && !files.Exists(file.copy)) {
      throw Error(Error::Kind::kNotFound,
                  fmt::format("cannot roll back: the backup {} of {} is missing: restore it first; "
                              "nothing was changed",
                              file.copy, file.path));
    }
  }
}

void ReplaceEarlierJournal(const Operation& operation, const Journal& journal, host::Files& files) {
  SaveIfKept(operation, journal, files);
  for (const std::string& file : operation.earlier_files) {
    files.Remove(file);
  }
}

void RunSteps(const Operation& operation, Journal& journal, const OperationDeps& deps) {
  Runner runner(operation, journal, deps);
  for (const Step& step : RemainingSteps(operation, journal)) {
    runner.Add(step.id, step.apply, StepState::kDone);
  }
  runner.Run();
}

void RunRollback(const Operation& operation, Journal& journal, const OperationDeps& deps) {
  Runner runner(operation, journal, deps);
  if (!journal.HasDone(kRestoreFiles)) {
    runner.Add(
        std::string(kRestoreFiles),
        [](StepContext& context) {
          context.Say("Restoring the files that were replaced");
          context.RestoreFiles();
        },
        StepState::kDone);
  }
  for (const Step& step : RollbackSteps(operation, journal)) {
    runner.Add(step.id, step.rollback, StepState::kRolledBack);
  }
  runner.Run();
}

// Rolls a failed run back, and throws its error.
[[noreturn]] void RollbackAfter(const Error& error, const Operation& operation,
                                const Journal& journal, const OperationDeps& deps) {
  deps.reporter.Message(fmt::format("[{}] The change failed: rolling it back", operation.tag));
  base::WithContext(error.message() + "\nThe change could not be rolled back either",
                    [&] { Rollback(operation, journal, deps); });
  throw Error(error.kind(), "the change was rolled back: " + error.message());
}

// Starts the timer before an operation on trial begins. Without its timer the operation does not
// begin, and leaves no files behind.
void BeginTrial(const Operation& operation, const Journal& journal, const OperationDeps& deps) {
  try {
    if (StartTimer(*operation.timer, journal.id, deps.host) == TimerKind::kProcess) {
      deps.reporter.Message(fmt::format(
          "[{}] No service manager keeps watch here: after a reboot run 'kubeadm {} undo'",
          operation.tag, operation.timer->command));
    }
  } catch (...) {
    if (journal.steps.empty()) {
      ForgetTrial(*operation.timer, deps.host);
    }
    throw;
  }
}

void EndRun(const Operation& operation, Journal& journal, const OperationDeps& deps) {
  host::Host& host = deps.host;
  if (!operation.keeps_journal) {
    return;
  }
  if (!operation.can_roll_back) {
    RemoveJournal(host.files, operation.name);
    return;
  }
  journal.state = State::kDone;
  if (deps.trial.count() > 0) {
    journal.state = State::kTrying;
    const auto until = std::chrono::ceil<std::chrono::seconds>(host.clock.Now()) + deps.trial;
    journal.until = until.time_since_epoch().count();
  }
  SaveJournal(host.files, journal);
  if (operation.timer != nullptr && deps.trial.count() == 0) {
    // Stops the timer of an interrupted trial that is resumed without a trial.
    StopTimer(*operation.timer, host);
  }
}

}  // namespace

std::vector<Step> RemainingSteps(const Operation& operation,
                                 const std::optional<Journal>& interrupted) {
  std::vector<Step> steps;
  std::ranges::copy_if(operation.steps, std::back_inserter(steps), [&](const Step& step) {
    return !interrupted || !interrupted->HasDone(step.id);
  });
  return steps;
}

std::vector<Step> RollbackSteps(const Operation& operation, const Journal& journal) {
  std::vector<Step> steps;
  for (const Where where : {Where::kNode, Where::kCluster}) {
    for (const Step& step : operation.steps | std::views::reverse) {
      if (step.where == where && step.rollback && journal.HasBegun(step.id)) {
        steps.push_back(step);
      }
    }
  }
  return steps;
}

void Run(const Operation& operation, std::optional<Journal> interrupted,
         const OperationDeps& deps) {
  Journal journal = interrupted ? *std::move(interrupted) : NewJournal(operation, deps.host);
  std::erase_if(journal.steps, [](const StepRecord& step) { return step.id == kRestoreFiles; });
  ReplaceEarlierJournal(operation, journal, deps.host.files);
  if (operation.timer != nullptr) {
    RemoveRollbackNote(*operation.timer, deps.host.files);  // the note of a previous operation
  }
  if (deps.trial.count() > 0) {
    BeginTrial(operation, journal, deps);
  }
  if (!operation.rolls_back_on_failure) {
    WithRemedy(deps.remedy, [&] { RunSteps(operation, journal, deps); });
  } else {
    try {
      RunSteps(operation, journal, deps);
    } catch (const Error& error) {
      RollbackAfter(error, operation, journal, deps);
    }
  }
  EndRun(operation, journal, deps);
}

void Rollback(const Operation& operation, Journal journal, const OperationDeps& deps) {
  if (!operation.can_roll_back) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("operation \"{}\" cannot be rolled back; nothing was changed", operation.name));
  }
  host::Files& files = deps.host.files;
  RequireBackups(journal, files);
  journal.state = State::kRollingBack;
  ReplaceEarlierJournal(operation, journal, files);
  WithRemedy(deps.remedy, [&] { RunRollback(operation, journal, deps); });
  if (operation.timer != nullptr) {
    StopTimer(*operation.timer, deps.host);
    LeaveRollbackNote(*operation.timer, files);
  }
  // Removed last, so that the same command resumes after a crash.
  RemoveJournal(files, operation.name);
}

std::vector<std::string> ChangedFiles(const Journal& journal, const host::Files& files) {
  std::vector<std::string> changed;
  for (const FileBackup& file : journal.files) {
    const auto content = files.Find(file.path);
    if (!file.written.empty() && (!content || workflow::FileHash(*content) != file.written)) {
      changed.push_back(file.path);
    }
  }
  return changed;
}

void RequireUnchanged(const Journal& journal, const host::Files& files) {
  const std::vector<std::string> changed = ChangedFiles(journal, files);
  if (!changed.empty()) {
    throw Error(
        Error::Kind::kConflict,
        fmt::format("these files were changed after the operation, and a rollback would lose "
                    "those changes: {}. Revert them first; nothing was changed",
                    fmt::join(changed, ", ")));
  }
}

}  // namespace engine
