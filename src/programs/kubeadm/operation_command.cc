// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/operation_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/terminal.h"
#include "steps/trials.h"

namespace kubeadm {
namespace {

constexpr std::chrono::minutes kRollback{10};

// A step in the output of a plan: the phase of its events, and its line.
struct ShownStep {
  std::string id;
  std::string line;
};

using ReportedBody = std::function<void(workflow::Reporter& reporter)>;

// The application of an operation, or its rollback.
struct Execution {
  std::function<void(const ReportedBody& body)> report;  // ReportRun or ReportRunTo
  std::function<std::vector<ShownStep>(const PlannedRun& run)> steps;
  std::function<void(const PlannedRun& run, engine::OperationDeps deps)> execute;
};

std::vector<ShownStep> StepsOfRun(const PlannedRun& run) {
  std::vector<ShownStep> steps;
  for (const engine::Step& step : engine::RemainingSteps(run.operation, run.journal)) {
    steps.push_back({.id = step.id, .line = step.line});
  }
  return steps;
}

std::vector<ShownStep> StepsOfRollback(const PlannedRun& run) {
  std::vector<ShownStep> steps;
  if (!run.journal.value().HasDone(engine::kRestoreFiles)) {
    steps.push_back(
        {.id = std::string(engine::kRestoreFiles), .line = "restore the replaced files"});
  }
  for (const engine::Step& step : engine::RollbackSteps(run.operation, run.journal.value())) {
    steps.push_back({.id = step.id, .line = "roll back: " + step.line});
  }
  return steps;
}

void ShowPlan(const PlannedRun& run, const std::vector<ShownStep>& steps,
              workflow::Reporter& reporter) {
  json::Value rows = json::Value::array();
  std::string text = run.plan + "Steps:\n";
  for (const ShownStep& step : steps) {
    rows.push_back({{"id", step.id}, {"line", step.line}});
    text += fmt::format("  {}. {}\n", rows.size(), step.line);
  }
  reporter.Emit(workflow::event::Result{.phase = {},
                                        .name = "plan",
                                        .value = {{"operation", run.operation.name},
                                                  {"intent", run.operation.intent},
                                                  {"steps", std::move(rows)}}});
  if (!run.plan.empty()) {
    reporter.Message(steps.empty() ? run.plan : text);
  }
}

// Removes the journal of an interrupted run that has no steps left. Otherwise a later run with
// another intent would resume it.
void EndInterrupted(const PlannedRun& run, const cli::Parsed& flags, host::Host& host) {
  if (run.journal && !run.operation.can_roll_back) {
    WorldBy(flags, host)->Do({.on_machine = [&] {
      engine::RemoveJournal(host.files, run.operation.name);
    }});
  }
}

void Prepare(const PlannedRun& run) {
  if (run.prepare) {
    run.prepare();
  }
}

// Makes the plan. Before that, rolls back an interrupted run that cannot be resumed.
PlannedRun PlanAfterRollback(const PlanRun& plan, const base::ShowLine& say,
                             const engine::OperationDeps& deps) {
  PlannedRun run = plan(say);
  if (!run.rolls_back_first) {
    return run;
  }
  Prepare(run);
  engine::Rollback(run.operation, run.journal.value(), deps);
  return plan(say);
}

std::function<void(const ReportedBody& body)> ReportsOf(cli::Invocation& invocation,
                                                        host::Host& host) {
  return [&](const ReportedBody& body) { ReportRun(invocation, host, body); };
}

void Execute(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
             host::Host& host, const Execution& execution) {
  execution.report([&](workflow::Reporter& reporter) {
    const cli::Parsed& flags = invocation.flags;
    const bool asks = flags.Offers("yes");
    if (asks && !flags.Bool("yes") && !flags.Bool("dry-run")) {
      RequireQuestionsAllowed(flags, "confirm with --yes, or show the plan with --dry-run");
    }
    const auto say = [&](const std::string& line) {
      reporter.Message(fmt::format("[{}] {}", tag, line));
    };
    const NodeLock lock =
        LockToAct(invocation, host, {.say = say, .patience = TrialPatience(host)});
    const engine::OperationDeps deps{
        .host = host, .reporter = reporter, .stop = host.signals.Interrupt()};
    const PlannedRun run = PlanAfterRollback(plan, say, deps);
    if (run.operation.steps.empty()) {
      ShowPlan(run, {}, reporter);
      EndInterrupted(run, flags, host);
      return;
    }
    ShowPlan(run, execution.steps(run), reporter);
    if (run.require) {
      run.require();
    }
    const auto act = [&] {
      if (asks) {
        RequireYes(invocation, host);
      }
      Prepare(run);
      execution.execute(run, deps);
      for (const std::string& line : run.end) {
        say(line);
      }
    };
    WorldBy(flags, host)
        ->Do({.on_machine = act, .in_dry_run = [&] {
                say("All preconditions are met. This was a dry run: nothing was changed");
              }});
  });
}

}  // namespace

std::vector<cli::Flag> UnconfirmedFlags() {
  return Joined(CommonFlags({"dry-run", "output"}),
                {TimelineFlag(), LockTimeoutFlag(kRunPatience)});
}

std::vector<cli::Flag> OperationFlags() { return Joined(UnconfirmedFlags(), CommonFlags({"yes"})); }

std::vector<cli::Flag> ResultFlags(const char* lock_timeout) {
  return WithPrinter(
      Joined(CommonFlags({"dry-run"}), {LockTimeoutFlag(lock_timeout), TimelineFlag()}));
}

std::string RemedyFor(const std::string& undo) {
  return "run the same command again to continue" +
         (undo.empty() ? "" : fmt::format(", or '{}' to roll back", undo));
}

std::optional<base::Duration> TrialPatience(const host::Host& host) {
  const bool may_be =
      std::ranges::any_of(steps::RollbackTimers(), [&](const engine::RollbackTimer* timer) {
        return engine::MayBeRolledBack(*timer, host.files);
      });
  return may_be ? std::optional<base::Duration>(kRollback) : std::nullopt;
}

void RunOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                  host::Host& host) {
  Execute(tag, plan, invocation, host,
          {.report = ReportsOf(invocation, host),
           .steps = StepsOfRun,
           .execute = [](const PlannedRun& run, engine::OperationDeps deps) {
             deps.remedy = RemedyFor(run.undo);
             deps.trial = run.trial;
             engine::Run(run.operation, run.journal, deps);
           }});
}

void RunForResult(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                  host::Host& host, const std::function<void(const Output& output)>& show) {
  const Output output(invocation, host);
  const bool dry_run = invocation.flags.Bool("dry-run");
  const auto plan_of_dry_run = [&](const base::ShowLine& say) {
    PlannedRun run = plan(say);
    run.plan = dry_run ? run.plan : "";
    return run;
  };
  Execute(tag, plan_of_dry_run, invocation, host,
          {.report = [&](const ReportedBody& body) { ReportRunTo(output, invocation, host, body); },
           .steps = StepsOfRun,
           .execute =
               [](const PlannedRun& run, const engine::OperationDeps& deps) {
                 engine::Run(run.operation, run.journal, deps);
               }});
  if (!dry_run || !output.IsText()) {
    show(output);
  }
}

void RollbackOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                       host::Host& host) {
  Execute(tag, plan, invocation, host,
          {.report = ReportsOf(invocation, host),
           .steps = StepsOfRollback,
           .execute = [](const PlannedRun& run, engine::OperationDeps deps) {
             deps.remedy = RemedyFor({});
             engine::Rollback(run.operation, run.journal.value(), deps);
           }});
}

}  // namespace kubeadm
