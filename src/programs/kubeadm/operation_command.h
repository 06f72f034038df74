// SPDX-License-Identifier: Apache-2.0
// Commands that execute an operation of the engine: their common code.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/show_line.h"
#include "cli/command.h"
#include "engine/operation.h"
#include "host/host.h"

namespace kubeadm {

// An operation that the user has not confirmed yet.
struct PlannedRun {
  engine::Operation operation;
  std::optional<engine::Journal> journal = {};  // to resume, or to roll back
  std::string plan;                             // for people, one or more lines
  std::function<void()> require = {};           // throws when a precondition fails; changes nothing
  // Runs after the confirmation and before the journal: requests what the steps need, such as a
  // certificate. Throws if that fails; changes nothing on this node.
  std::function<void()> prepare = {};
  std::vector<std::string> end = {};  // lines to show after it
};

// Collects facts and plans. `say` prints a line of progress.
using PlanRun = std::function<PlannedRun(const base::ShowLine& say)>;

// --dry-run, --lock-timeout, --output, --timeline and --yes.
std::vector<cli::Flag> OperationFlags();

// Locks the node, plans and shows the plan. Unless the plan is empty or this is a dry run, it
// checks the preconditions, asks for confirmation and executes the operation. `tag` precedes each
// line. Throws base::Error: kUsage for --output json without --yes.
void RunOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                  host::Host& host);

// The same with the rollback of the operation in PlannedRun::journal.
void RollbackOperation(std::string_view tag, const PlanRun& plan, cli::Invocation& invocation,
                       host::Host& host);

}  // namespace kubeadm
