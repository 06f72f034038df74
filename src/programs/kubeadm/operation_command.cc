// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/operation_command.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/terminal.h"

namespace kubeadm {
namespace {

using Carry = std::function<void(const PlannedRun& run, engine::Deps deps)>;

// Programs get the steps of the plan, humans its text.
void ShowPlan(const PlannedRun& run, workflow::Reporter& reporter) {
  json::Value steps = json::Value::array();
  for (const engine::Step& step : run.operation.steps) {
    steps.push_back({{"id", step.id}, {"line", step.line}});
  }
  reporter.Emit(workflow::event::Result{.phase = {},
                                        .name = "plan",
                                        .value = {{"operation", run.operation.name},
                                                  {"intent", run.operation.intent},
                                                  {"steps", std::move(steps)}}});
  if (!run.plan.empty()) {
    reporter.Message(run.plan);
  }
}

void RequireConfirmation(cli::Invocation& invocation, host::Host& host) {
  if (!invocation.flags.Offers("yes")) {
    return;
  }
  if (invocation.flags.Text("output") == "json" && !invocation.flags.Bool("yes")) {
    throw base::Error(base::Error::Kind::kUsage,
                      "--output json asks no questions: confirm with --yes, or show the plan with "
                      "--dry-run");
  }
  RequireYes(invocation, host);
}

// Nothing is left to do: the journal of an interrupted run would be resumed by a later, different
// run.
void EndInterrupted(const PlannedRun& run, const cli::Parsed& flags, host::Host& host) {
  if (run.journal && !run.operation.can_roll_back) {
    WorldBy(flags, host)->Do({.on_machine = [&] {
      engine::RemoveJournal(host.files, run.operation.name);
    }});
  }
}

void Execute(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
             host::Host& host, const Carry& carry) {
  ReportRun(invocation, host, [&](workflow::Reporter& reporter) {
    const auto say = [&](const std::string& line) {
      reporter.Message(fmt::format("[{}] {}", tag, line));
    };
    const NodeLock lock = LockToAct(invocation, host, {.say = say});
    const PlannedRun run = plan(say);
    ShowPlan(run, reporter);
    if (run.operation.steps.empty()) {
      EndInterrupted(run, invocation.flags, host);
      return;
    }
    WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
      if (run.require) {
        run.require();
      }
      RequireConfirmation(invocation, host);
      if (run.prepare) {
        run.prepare();
      }
      carry(run, {.host = host, .reporter = reporter, .stop = host.signals.Interrupt()});
      for (const std::string& line : run.end) {
        say(line);
      }
    }});
  });
}

}  // namespace

std::vector<cli::Flag> UnconfirmedFlags() {
  return Joined(CommonFlags({"output"}), {Switch("dry-run", "Show the plan, and change nothing"),
                                          TimelineFlag(), LockTimeoutFlag(kRunPatience)});
}

std::vector<cli::Flag> OperationFlags() { return Joined(UnconfirmedFlags(), CommonFlags({"yes"})); }

std::string RemedyFor(const std::string& undo) {
  return "run the same command again to go on" +
         (undo.empty() ? "" : fmt::format(", or '{}' to go back", undo));
}

void RunOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                  host::Host& host) {
  Execute(tag, plan, invocation, host, [](const PlannedRun& run, engine::Deps deps) {
    deps.remedy = RemedyFor(run.undo);
    engine::Run(run.operation, run.journal, deps);
  });
}

void RollbackOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                       host::Host& host) {
  Execute(tag, plan, invocation, host, [](const PlannedRun& run, engine::Deps deps) {
    deps.remedy = RemedyFor({});
    engine::Rollback(run.operation, run.journal.value(), deps);
  });
}

}  // namespace kubeadm
