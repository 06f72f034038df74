// A command that runs phases, as a value: what init, join, reset and upgrade do alike is written
// here once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "config/paths.h"
#include "host/dry_run_host.h"
#include "host/host.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/root_check.h"
#include "kubeadm/terminal.h"
#include "workflow/bind.h"
#include "workflow/phase.h"
#include "workflow/resume.h"
#include "workflow/run.h"

namespace kubeadm {

// Scope is what is run: one phase with all below it by its path, or nothing: the whole command.
struct Scope {
  std::optional<std::string> phase;
};

// PreparedRun is what one run keeps alive.
template <typename Data>
struct PreparedRun {
  std::unique_ptr<host::DryRunHost> dry_run_host;  // null on the machine itself
  std::unique_ptr<Data> data;
  unsigned threads = 1;  // that run phases side by side

  // OnDryRun is the host of a dry run, whose writes go to a directory that `variable` of the
  // environment names or that is fresh; `redirects` says for that directory what goes there.
  host::Host& OnDryRun(
      host::Host& machine, std::string variable, std::string prefix,
      const std::function<std::vector<host::Redirect>(const host::fs::path& directory)>&
          redirects) {
    const host::fs::path directory = host::MakeDryRunDirectory(
        machine,
        {.variable = std::move(variable), .prefix = std::move(prefix), .parent = config::kTmpDir});
    dry_run_host = std::make_unique<host::DryRunHost>(machine, redirects(directory), directory);
    return dry_run_host->host();
  }
};

// LoadedRun is what the command line and the configuration ask for. Nothing of the node that
// another command may be changing has been looked at yet.
template <typename Data>
struct LoadedRun {
  workflow::Selection selection;            // of a whole run
  std::set<std::string> ignored_checks;     // of preflight, in lower case
  bool locks = true;                        // false for what changes nothing on the node
  std::vector<host::fs::path> directories;  // LockRequest::directories
  // Identifies the configuration in the journal of a whole run; nothing: it keeps none.
  std::optional<std::string> origin;
  // Called once, with the lock held.
  std::move_only_function<PreparedRun<Data>()> prepare;
};

// WorkflowCommand is one row of what differs. Functions that are not set do nothing.
template <typename Data>
struct WorkflowCommand {
  std::string name;  // of the journal: "init"
  std::function<std::vector<workflow::Phase<Data>>()> phases;
  std::function<std::vector<cli::Flag>()> phase_flags;
  int max_phase_args = 0;
  bool refuses_unprivileged = true;  // RefuseUnprivileged before anything else
  // Throws base::Error for flags or a configuration that cannot be used.
  std::function<LoadedRun<Data>(cli::Invocation& invocation, host::Host& machine,
                                const Scope& scope)>
      load;
  std::function<void(Data& data, workflow::Journal& journal)> resume;  // when there is a journal
  std::function<void(Data& data, const Scope& scope, workflow::Reporter& reporter)> begin;
  std::function<std::optional<std::string>(Data& data)> end_text;  // of a whole run
};

// RunWorkflow is one run: plan, refuse, lock, prepare, journal, phases, end text. Throws what any
// of these throws.
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
    plan = workflow::MakePlan(command.phases(), loaded.selection);
  }
  if (command.refuses_unprivileged) {
    RefuseUnprivileged(machine, *plan, loaded.ignored_checks, reporter);
  }
  NodeLock lock;
  if (loaded.locks) {
    lock = LockNode(invocation, machine,
                    {.directories = std::move(loaded.directories),
                     .say = [&](const std::string& line) { reporter.Message(line); }});
  }
  PreparedRun<Data> run = loaded.prepare();
  std::unique_ptr<workflow::Journal> journal;
  if (whole && loaded.origin) {
    journal = workflow::OpenJournal(machine, command.name, *loaded.origin);
    if (command.resume) {
      command.resume(*run.data, *journal);
    }
  }
  if (command.begin) {
    command.begin(*run.data, scope, reporter);
  }
  workflow::RunPhases(*plan, *run.data,
                      {.reporter = reporter,
                       .clocks = ClocksOf(machine),
                       .journal = journal.get(),
                       .threads = run.threads,
                       .stop = InterruptToken()});
  if (journal) {
    journal->Complete();
  }
  if (whole && command.end_text) {
    if (std::optional<std::string> text = command.end_text(*run.data)) {
      reporter.Message(*std::move(text));
    }
  }
}

// Bound is `command` that runs the workflow, with the commands of its phases below it. `machine`
// must outlive it.
template <typename Data>
cli::Command Bound(cli::Command command, WorkflowCommand<Data> workflow, host::Host& machine) {
  const auto row = std::make_shared<const WorkflowCommand<Data>>(std::move(workflow));
  const auto run = [row, &machine](cli::Invocation& invocation, const Scope& scope) {
    ReportRun(invocation, machine, [&](workflow::Reporter& reporter) {
      RunWorkflow(*row, invocation, machine, scope, reporter);
    });
  };
  command.run = [run](cli::Invocation& invocation) { run(invocation, {}); };
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
