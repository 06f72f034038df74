// SPDX-License-Identifier: Apache-2.0
// Operation: a verb on a running node or cluster as a value: what it will do, in steps. The engine
// carries it out, resumes it when it was interrupted, and rolls it back (docs/adr/0008-engine.md).
#pragma once

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

// Where a step has its effect. A rollback begins with this node, which works without an API server.
enum class Where { kNode, kCluster };

// Step is one row of an operation. The functions may be called again after a crash at any point of
// theirs, so both are idempotent.
struct Step {
  std::string id;    // stored in journals: a later release must not give it another meaning
  std::string line;  // what the plan says of it: "restart the kubelet"
  Where where = Where::kNode;
  std::function<void(StepContext& context)> apply;
  // Undoes what restoring the files that the step replaced does not undo; may be empty. All files
  // are restored before the first of these is called.
  std::function<void(StepContext& context)> rollback = {};
};

// Operation is planned afresh by each run, from the facts of that moment; what a run can no longer
// collect once the operation has begun is in `facts`, which the journal keeps.
struct Operation {
  std::string name;    // of the journal and of the backups' directory: "node-readdress"
  std::string tag;     // before each line for people: "readdress"
  json::Value intent;  // what was asked for
  json::Value facts;
  std::vector<Step> steps;
  bool can_roll_back = false;        // whether the journal is kept when all steps are done
  std::string earlier_journal = {};  // the file of an earlier release; replaced by the journal
};

// Dependencies of a run. All references outlive the call.
struct Deps {
  host::Host& host;
  workflow::Reporter& reporter;
  std::stop_token stop = {};  // the user's interrupt
};

// Run carries the operation out: the steps in their order, without those that `interrupted`, the
// journal of an earlier run of the same operation, has done. The journal is on disk before the
// first step begins and records each step before it begins and when it is done. A step that fails
// leaves the journal as it is: the next run resumes. Throws what a step throws; base::Error of kind
// kCancelled when `deps.stop` is requested, after which no further step begins.
void Run(const Operation& operation, std::optional<Journal> interrupted, const Deps& deps);

// Rollback restores every file that the operation has replaced, then calls the rollback of each
// step that has begun: those of this node first, each group in reverse order. When it is
// interrupted or fails, calling it again resumes it. The journal is removed at the end. Throws
// base::Error: kInvalid for an operation that cannot be rolled back, kNotFound when a backup is
// missing; nothing has been changed then.
void Rollback(const Operation& operation, Journal journal, const Deps& deps);

// RequireUnchanged throws base::Error(kConflict), naming the files, when a file that the operation
// wrote has been changed since: a rollback would undo that change as well.
void RequireUnchanged(const Journal& journal, const host::Files& files);

}  // namespace engine
