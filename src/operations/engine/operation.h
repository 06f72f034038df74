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

// The target of a step's effect. A rollback begins with this node, which works without an API
// server.
enum class Where { kNode, kCluster };

// One row of an operation. After a crash at any point, the engine calls a function again, so both
// functions are idempotent.
struct Step {
  std::string id;    // stored in journals: a later release must not give it another meaning
  std::string line;  // of the plan: "restart the kubelet"
  Where where = Where::kNode;
  std::function<void(StepContext& context)> apply;
  // Reverts the effects that restoring the step's files does not revert; may be empty. All files
  // are restored before the first of these is called.
  std::function<void(StepContext& context)> rollback = {};
};

// Each run plans the operation again, from the present facts; facts that are unavailable once the
// operation has begun are in `facts`, which the journal stores.
struct Operation {
  std::string name;    // of the journal and of the backups' directory: "node-readdress"
  std::string tag;     // before each line for people: "readdress"
  json::Value intent;  // the user's request
  json::Value facts;
  std::vector<Step> steps;
  bool can_roll_back = false;          // whether the journal is kept when all steps are done
  bool rolls_back_on_failure = false;  // at once; without it a failed step can be resumed
  std::vector<std::string> earlier_files = {};  // of an earlier release; replaced by the journal
  const RollbackTimer* timer = nullptr;         // null: the operation has no trials
};

// Dependencies of a run. All references must outlive the call.
struct RunDependencies {
  host::Host& host;
  workflow::Reporter& reporter;
  std::stop_token stop = {};  // the user's interrupt
  std::string remedy = {};    // for the error of a failed step
  // The duration of the trial: the operation's timer rolls it back unless it is confirmed. 0: none.
  std::chrono::seconds trial{0};
};

// Executes the steps of the operation in their order. Skips the steps that are complete in
// `interrupted`: the journal of an earlier run of the same operation. The journal is on disk, and
// the timer of a trial runs, before the first step begins. The journal records each step before it
// begins and when it is done. A failing step leaves the journal unchanged: the next run resumes.
// Throws the step's error with the remedy. With rolls_back_on_failure it rolls back first; the
// remedy is added only if that fails, too. Throws base::Interrupted when `deps.stop` is requested,
// after which no further step begins. Throws the errors of StartTimer.
void Run(const Operation& operation, std::optional<Journal> interrupted,
         const RunDependencies& deps);

// Returns the steps that Run will call: all steps if `interrupted` is not set.
std::vector<Step> RemainingSteps(const Operation& operation,
                                 const std::optional<Journal>& interrupted);

inline constexpr std::string_view kRestoreFiles = "restore-files";  // the first step of Rollback

// Returns the steps that Rollback calls for this journal after kRestoreFiles: the steps of this
// node, then those of the cluster, each group in reverse order. A resumed rollback skips
// kRestoreFiles if it is done.
std::vector<Step> RollbackSteps(const Operation& operation, const Journal& journal);

// Restores every file that the operation has replaced, then calls the rollback of each step of
// RollbackSteps. After an interruption or a failure, another call resumes it. The operation's timer
// is stopped, and the journal removed, at the end. Throws base::Error before
// any change: kInvalid for an operation that cannot be rolled back, kNotFound if a backup is
// missing.
void Rollback(const Operation& operation, Journal journal, const RunDependencies& deps);

// Returns the files that the operation wrote and that have been changed since.
std::vector<std::string> ChangedFiles(const Journal& journal, const host::Files& files);

// Throws base::Error(kConflict), naming the files, if a file that the operation wrote has been
// changed since: a rollback would revert that change as well.
void RequireUnchanged(const Journal& journal, const host::Files& files);

}  // namespace engine
