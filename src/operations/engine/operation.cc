// SPDX-License-Identifier: Apache-2.0
#include "engine/operation.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
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

// Converts steps into phases of a workflow, which provides events, progress and the interrupt.
class Runner {
 public:
  Runner(const Operation& operation, Journal& journal, const Deps& deps)
      : operation_(operation), journal_(journal), deps_(deps) {}
  Runner(const Runner&) = delete;  // the phases refer to it
  Runner& operator=(const Runner&) = delete;

  // Adds a phase that calls the function. The journal records the step as started before the call,
  // and as `after` when it returns.
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
    try {
      workflow::RunPhases(plan_, workflow::AnyData{},
                          {.reporter = deps_.reporter,
                           .clock = deps_.host.clock,
                           .threads = 1,
                           .stop = deps_.stop});
    } catch (const Error& error) {
      if (deps_.remedy.empty()) {
        throw;
      }
      ThrowWithRemedy(error);
    }
  }

 private:
  // The new error lacks the places of the old one, which are logged instead.
  [[noreturn]] void ThrowWithRemedy(const Error& error) const {
    for (const std::source_location& place : error.trace()) {
      base::LogInfo(5, "a step failed at {}:{}", place.file_name(), place.line());
    }
    throw Error(error.kind(), fmt::format("{}\n{}", error.message(), deps_.remedy));
  }

  void Record(const std::string& id, StepState state) {
    RecordOf(journal_, id).state = state;
    SaveJournal(deps_.host.files, journal_);
  }

  const Operation& operation_;
  Journal& journal_;
  const Deps& deps_;
  workflow::Plan plan_;
};

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
  SaveJournal(files, journal);
  if (!operation.earlier_journal.empty()) {
    files.Remove(operation.earlier_journal);
  }
}

bool HasBegun(const Journal& journal, const std::string& step) {
  const auto record = std::ranges::find(journal.steps, step, &StepRecord::id);
  return record != journal.steps.end() && record->state != StepState::kRolledBack;
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
      if (step.where == where && step.rollback && HasBegun(journal, step.id)) {
        steps.push_back(step);
      }
    }
  }
  return steps;
}

void Run(const Operation& operation, std::optional<Journal> interrupted, const Deps& deps) {
  Journal journal = interrupted ? *std::move(interrupted) : NewJournal(operation, deps.host);
  ReplaceEarlierJournal(operation, journal, deps.host.files);
  Runner runner(operation, journal, deps);
  for (const Step& step : RemainingSteps(operation, journal)) {
    runner.Add(step.id, step.apply, StepState::kDone);
  }
  runner.Run();
  if (operation.can_roll_back) {
    journal.state = State::kDone;
    SaveJournal(deps.host.files, journal);
  } else {
    RemoveJournal(deps.host.files, operation.name);
  }
}

void Rollback(const Operation& operation, Journal journal, const Deps& deps) {
  if (!operation.can_roll_back) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("operation \"{}\" cannot be rolled back; nothing was changed", operation.name));
  }
  host::Files& files = deps.host.files;
  RequireBackups(journal, files);
  journal.state = State::kRollingBack;
  ReplaceEarlierJournal(operation, journal, files);
  Runner runner(operation, journal, deps);
  runner.Add(
      std::string(kRestoreFiles),
      [](StepContext& context) {
        context.Say("Restoring the files that were replaced");
        context.RestoreFiles();
      },
      StepState::kDone);
  for (const Step& step : RollbackSteps(operation, journal)) {
    runner.Add(step.id, step.rollback, StepState::kRolledBack);
  }
  runner.Run();
  RemoveJournal(files, operation.name);
}

void RequireUnchanged(const Journal& journal, const host::Files& files) {
  std::vector<std::string> changed;
  for (const FileBackup& file : journal.files) {
    const auto content = files.Find(file.path);
    if (!file.written.empty() && (!content || workflow::FileHash(*content) != file.written)) {
      changed.push_back(file.path);
    }
  }
  if (!changed.empty()) {
    throw Error(
        Error::Kind::kConflict,
        fmt::format("these files were changed after the operation, and a rollback would lose "
                    "those changes: {}. Revert them first; nothing was changed",
                    fmt::join(changed, ", ")));
  }
}

}  // namespace engine
