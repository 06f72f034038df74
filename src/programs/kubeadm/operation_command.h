// SPDX-License-Identifier: Apache-2.0
// Commands that execute an operation of the engine: their common code.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "base/show_line.h"
#include "cli/command.h"
#include "engine/operation.h"
#include "host/host.h"
#include "kubeadm/printed.h"

namespace kubeadm {

// An operation that the user has not confirmed yet.
struct PlannedRun {
  engine::Operation operation;
  std::optional<engine::Journal> journal = {};  // to resume, or to roll back
  std::string plan;                             // for users, one or more lines
  // Checks the preconditions, and changes nothing. Throws base::Error, of a kind of the
  // operation, if a precondition fails.
  std::function<void()> require = {};
  // Runs after the confirmation and before the journal is written. Requests what the steps need,
  // such as a certificate, and changes nothing on this node. Throws the errors of kube::Client.
  std::function<void()> prepare = {};
  std::chrono::seconds trial{0};      // engine::OperationDeps::trial
  std::vector<std::string> end = {};  // lines to show after the run
  std::string undo = {};  // the command that rolls the operation back: "kubeadm node undo"
  // True if the journal belongs to an interrupted run that cannot be resumed. RunOperation then
  // rolls this run back without a question, and plans again.
  bool rolls_back_first = false;
};

// Collects facts and plans. `say` prints a line of progress.
using PlanRun = std::function<PlannedRun(const base::ShowLine& say)>;

// Returns --dry-run, --lock-timeout, --output and --timeline. A command with only these flags does
// not ask for confirmation.
std::vector<cli::Flag> UnconfirmedFlags();

// Returns UnconfirmedFlags and --yes.
std::vector<cli::Flag> OperationFlags();

// Returns --dry-run, --lock-timeout, --timeline and the printer's flags for the result.
// `lock_timeout` is the default of --lock-timeout.
std::vector<cli::Flag> ResultFlags(const char* lock_timeout);

// Returns the commands that can follow a failed step (engine::OperationDeps::remedy). `undo` is
// the command that rolls the operation back; empty if it cannot be rolled back.
std::string RemedyFor(const std::string& undo);

// Returns the longer time that a command waits for the node's lock while a timer may be rolling a
// trial back. Returns std::nullopt if no timer may be doing so.
std::optional<base::Duration> TrialPatience(const host::Host& host);

// Locks the node, and shows the plan with its steps. If the plan is not empty, checks the
// preconditions, asks for confirmation and executes the operation; a dry run ends after the check.
// If the plan is empty, removes the journal of an interrupted operation, unless a rollback needs
// it. `tag` precedes each line. Throws base::Error(kUsage) for --output json without --yes or
// --dry-run. Throws the error of a failed precondition, also in a dry run, and the error of a
// failed step, with the commands that can follow.
void RunOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                  host::Host& host);

// Like RunOperation, for an operation with a result, which --output formats. Events are reported as
// by ReportRunTo. The plan is shown only in a dry run. `show` prints the result. In a dry run,
// `show` is called only if --output is not text, and prints the plan.
void RunForResult(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                  host::Host& host, const std::function<void(const Output& output)>& show);

// Like RunOperation, but rolls back the operation in PlannedRun::journal.
void RollbackOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                       host::Host& host);

}  // namespace kubeadm
