// SPDX-License-Identifier: Apache-2.0
// An operation on a running node or cluster (one command), as a value: its planned steps. The
// engine executes it, resumes it after an interruption, and rolls it back
// (docs/adr/0008-engine.md).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/journal.h"
#include "engine/step_context.h"
#include "host/host.h"
#include "json/value.h"
#include "workflow/reporter.h"

namespace engine {

struct RollbackTimer;

// The place that a step changes. A rollback begins with this node, because its changes can be
// reverted without an API server.
enum class Where { kNode, kCluster };

// One step of an operation. Both functions must be idempotent, because after a crash at any point
// the engine calls the interrupted function again.
struct Step {
  // The step's id in journals. A later release must not give it another meaning.
  std::string id;
  std::string line;  // of the plan: "restart the kubelet"
  Where where = Where::kNode;
  std::function<void(StepContext& context)> apply;
  // Reverts the effects of the step that remain after the files are restored; may be empty. The
  // engine restores the files before it calls the first rollback function.
  std::function<void(StepContext& context)> rollback = {};
};

// The plan of a change. Each run creates the plan again from the present facts. Facts that become
// unavailable once the operation has begun are stored in `facts`, which is part of the journal.
struct Operation {
  std::string name;  // in the names of the journal and of the backups' directory: "node-readdress"
  std::string tag;   // the prefix of each line for users: "readdress"
  json::Value intent;  // the user's request
  json::Value facts;
  std::vector<Step> steps;
  // True if a complete operation can be rolled back. Its journal is then kept.
  bool can_roll_back = false;
  // True if a failed step rolls the operation back immediately. Otherwise the next run resumes it.
  bool rolls_back_on_failure = false;
  // Files in which an earlier release recorded the operation. The journal replaces them.
  std::vector<std::string> earlier_files = {};
  const RollbackTimer* timer = nullptr;  // null: the operation has no trials
  // Without a journal, a run cannot be resumed or rolled back, and works on a full disk. The steps
  // must not back up files or set facts.
  bool keeps_journal = true;
};

// Dependencies of a run. All references must outlive the call.
struct OperationDeps {
  host::Host& host;
  workflow::Reporter& reporter;
  std::stop_token stop = {};  // the user's interrupt
  std::string remedy = {};    // for the error of a failed step
  // The duration of the trial: the operation's timer rolls it back unless it is confirmed. 0: no
  // trial.
  std::chrono::seconds trial{0};
};

// Executes the steps of the operation in order. `interrupted` is the journal of an earlier run of
// the same operation; steps that are complete in it are skipped. Before the first step begins, the
// journal (if the operation keeps one) is on disk and the timer of a trial runs. The journal
// records each step before it begins and when it is complete.
//
// If a step fails, throws its error with the remedy. The journal stays, so that the next run
// resumes. With rolls_back_on_failure, rolls back first, and adds the remedy only if the rollback
// fails. Throws base::Interrupted when `deps.stop` is requested; no further step begins. Throws the
// errors of StartTimer.
void Run(const Operation& operation, std::optional<Journal> interrupted, const OperationDeps& deps);

// Returns the steps that Run will call: all steps if `interrupted` is not set.
std::vector<Step> RemainingSteps(const Operation& operation,
                                 const std::optional<Journal>& interrupted);

inline constexpr std::string_view kRestoreFiles = "restore-files";  // the first step of Rollback

// Returns the steps that Rollback executes for this journal after kRestoreFiles: the steps of this
// node, then the steps of the cluster. Each group is in reverse order. A resumed rollback skips
// kRestoreFiles if it is complete.
std::vector<Step> RollbackSteps(const Operation& operation, const Journal& journal);

// Restores every file that the operation has replaced, then calls the rollback of each step of
// RollbackSteps. At the end, stops the operation's timer and removes the journal. After an
// interruption or a failure, another call resumes the rollback. Throws base::Error before any
// change: kInvalid for an operation that cannot be rolled back, kNotFound if a backup is missing.
void Rollback(const Operation& operation, Journal journal, const OperationDeps& deps);

// Returns the files that the operation wrote and that have been changed since.
std::vector<std::string> ChangedFiles(const Journal& journal, const host::Files& files);

// Throws base::Error(kConflict), naming the files, if a file that the operation wrote has been
// changed since: a rollback would revert these later changes, too.
void RequireUnchanged(const Journal& journal, const host::Files& files);

}  // namespace engine
