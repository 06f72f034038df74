// SPDX-License-Identifier: Apache-2.0
// A command that runs phases, as a value: the common code of init, join, reset and upgrade.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "preflight/privileges.h"
#include "steps/world.h"
#include "workflow/bind.h"
#include "workflow/phase.h"
#include "workflow/resume.h"
#include "workflow/run.h"

namespace kubeadm {

// The part of the workflow to run: the path of one phase, which runs with all phases below it. If
// not set, the whole workflow runs.
struct Scope {
  std::optional<std::string> phase;
};

// The objects that live as long as one run.
template <typename Data>
struct PreparedRun {
  std::unique_ptr<Data> data;
  unsigned threads = 1;  // number of threads for concurrent phases; 1 in a dry run
};

// The values of the command line and the configuration. They contain no facts about the node,
// because another command may still be changing the node.
template <typename Data>
struct LoadedRun {
  workflow::Selection selection;                 // the phases of a whole run
  std::set<std::string> ignored_checks;          // of preflight, in lower case
  bool dry_run = false;                          // changes are made only in `stand_in`
  steps::StandIn stand_in = {};                  // of a dry run
  bool locks = true;                             // false if the command does not change the node
  std::vector<host::fs::path> directories = {};  // LockRequest::directories
  // Identifies a whole run in its journal. std::nullopt: the run keeps no journal.
  std::optional<workflow::Origin> origin = {};
  // Called once, while the lock is held. The world must outlive the run.
  std::move_only_function<PreparedRun<Data>(steps::World& world)> prepare = {};
};

// The parts in which the commands differ. Unset functions are skipped.
template <typename Data>
struct WorkflowCommand {
  std::string name;  // of the journal: "init"
  std::function<std::vector<workflow::Phase<Data>>()> phases;
  std::function<std::vector<cli::Flag>()> phase_flags;
  int max_phase_args = 0;
  bool phase_commands = true;        // whether a phase can be run alone
  bool refuses_unprivileged = true;  // whether RequirePrivileges runs first
  // Loads the flags and the configuration. Throws base::Error: kUsage for unusable flags, kInvalid
  // for an unusable configuration.
  std::function<LoadedRun<Data>(cli::Invocation& invocation, host::Host& machine,
                                const Scope& scope)>
      load;
  // Called if the run has a journal.
  std::function<void(Data& data, workflow::Journal& journal)> resume;
  std::function<void(Data& data, const Scope& scope, workflow::Reporter& reporter)> begin;
  using EndText = std::function<std::optional<std::string>(Data& data)>;
  EndText end_text;          // of a whole run on the machine
  EndText dry_run_end_text;  // of a whole dry run
  // Removes secrets from the directory of a dry run, whatever the result of the dry run. Returns a
  // text that is printed before the end text.
  std::function<std::optional<std::string>(Data& data, const Scope& scope)> settle =
      [](Data&, const Scope&) { return std::nullopt; };
};

// Returns whether a run of the selection includes the phase with this path. Throws
// base::Error(kUsage) if the selection has an unknown phase.
template <typename Data>
bool Includes(const std::vector<workflow::Phase<Data>>& phases,
              const workflow::Selection& selection, std::string_view path) {
  return std::ranges::contains(workflow::MakePlan(phases, selection).steps, path,
                               &workflow::Step::path);
}

// Calls the function if it is set.
template <typename Function, typename... Arguments>
void CallIfSet(const Function& function, Arguments&&... arguments) {
  if (function) {
    function(std::forward<Arguments>(arguments)...);
  }
}

// Prints the end text of a whole run, or of a whole dry run.
template <typename Data>
void SayEnd(const WorkflowCommand<Data>& command, Data& data, steps::World& world,
            const base::ShowLine& say) {
  using EndText = WorkflowCommand<Data>::EndText;
  const auto say_text = [&](const EndText& end_text) {
    if (const std::optional<std::string> text = end_text ? end_text(data) : std::nullopt) {
      say(*text);
    }
  };
  world.Do({.on_machine = [&] { say_text(command.end_text); },
            .in_dry_run = [&] { say_text(command.dry_run_end_text); }});
}

// Executes one run: plans it, checks that it may begin, takes the lock, prepares the data, opens
// the journal, runs the phases and prints the end text. Throws the errors of each part.
template <typename Data>
void RunWorkflow(const WorkflowCommand<Data>& command, cli::Invocation& invocation,
                 host::Host& machine, const Scope& scope, workflow::Reporter& reporter) {
  const bool whole = !scope.phase;
  std::optional<workflow::Plan> plan;
  if (!whole) {
    plan = workflow::MakePlan(command.phases(), {.only = *scope.phase});
  }
  LoadedRun<Data> loaded = command.load(invocation, machine, scope);
  if (whole) {
    loaded.selection.comes_up = !loaded.dry_run;
    plan = workflow::MakePlan(command.phases(), loaded.selection);
  }
  if (command.refuses_unprivileged) {
    preflight::RequirePrivileges(machine, *plan, loaded.ignored_checks, reporter);
  }
  const std::unique_ptr<steps::World> world =
      steps::ChooseWorld(machine, loaded.dry_run, loaded.stand_in);
  const auto say = [&](const std::string& line) { reporter.Message(line); };
  NodeLock lock;
  world->Do({.on_machine = [&] {
    if (loaded.locks) {
      lock =
          LockNode(invocation, machine, {.directories = std::move(loaded.directories), .say = say});
    }
  }});
  PreparedRun<Data> run = loaded.prepare(*world);
  world->Begin();
  std::unique_ptr<workflow::Journal> journal;
  unsigned threads = 1;
  world->Do({.on_machine = [&] {
    threads = run.threads;
    if (whole && loaded.origin) {
      journal = workflow::OpenJournal(machine, command.name, *loaded.origin);
      CallIfSet(command.resume, *run.data, *journal);
    }
  }});
  const auto settle = [&] { return command.settle(*run.data, scope); };
  try {
    CallIfSet(command.begin, *run.data, scope, reporter);
    workflow::RunPhases(*plan, *run.data,
                        {.reporter = reporter,
                         .clock = machine.clock,
                         .journal = journal.get(),
                         .threads = threads,
                         .stop = machine.signals.Interrupt()});
  } catch (...) {
    steps::EndFailedRun(*world, settle, say);
    throw;
  }
  steps::EndRun(*world, settle, say);
  if (journal) {
    journal->Complete();
  }
  if (whole) {
    SayEnd(command, *run.data, *world, say);
  }
}

// Returns `command` as the command that runs the workflow. The commands of its phases are its
// subcommands. `machine` must outlive the result.
template <typename Data>
cli::Command Bound(cli::Command command, WorkflowCommand<Data> workflow, host::Host& machine) {
  const auto row = std::make_shared<const WorkflowCommand<Data>>(std::move(workflow));
  const auto run = [row, &machine](cli::Invocation& invocation, const Scope& scope) {
    ReportRun(invocation, machine, [&](workflow::Reporter& reporter) {
      RunWorkflow(*row, invocation, machine, scope, reporter);
    });
  };
  command.run = [run](cli::Invocation& invocation) { run(invocation, {}); };
  if (!row->phase_commands) {
    return command;
  }
  workflow::BindPhases(
      command, {.phases = [row] { return workflow::Erase(row->phases()); },
                .flags = row->phase_flags,
                .flags_of_changes = {kLockTimeout},
                .max_args = row->max_phase_args,
                .run = [run](cli::Invocation& invocation,
                             const std::string& path) { run(invocation, {.phase = path}); }});
  return command;
}

}  // namespace kubeadm
