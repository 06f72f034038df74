// SPDX-License-Identifier: Apache-2.0
// The progress of an operation: from the plan and the facts to the next actions.
//
// The state of a task is in the cluster: the annotations of its Node and its Job. The successor of
// a driver that was killed at any point therefore makes the same decisions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/facts.h"
#include "fleet/plan.h"

namespace fleet {

enum class Stage : std::int32_t {
  kPending,
  kDraining,
  kRunning,
  kSettling,
  kRollingBack,
  kDone,
  kFailed
};
std::span<const std::string_view> EnumNames(Stage stage);
std::string_view ToString(Stage stage);

struct TaskProgress {
  std::string id = {};  // NodeTask::id
  std::string node;
  std::string step = {};  // NodeTask::step
  Stage stage = Stage::kPending;
  std::string message;                   // cause of a failure, or reason of a wait; may be empty
  std::optional<bool> rolled_back = {};  // whether a rollback has succeeded; not set: none began
  // Start of its drain, or of its Job if it has no drain; if known.
  std::optional<std::chrono::sys_seconds> began = {};

  // Returns "cp-1", or with a step "cp-1 (v1-36)".
  std::string Subject() const;
};

// One change in the cluster.
struct FleetAction {
  enum class Kind {
    kCordon,    // cordons the node, and annotates it
    kDrain,     // evicts the node's Pods; starts the Job when none is left
    kStart,     // creates the Job
    kRollback,  // creates the Job of RollbackTaskOf
    kUncordon,  // makes the node schedulable again
  } kind;
  NodeTask task;
};

// The present state of an operation, and the next actions.
struct FleetProgress {
  std::vector<TaskProgress> tasks;   // in the plan's order
  std::vector<FleetAction> actions;  // to do now
  std::string waiting;               // the reason why no further node is begun; may be empty

  bool IsDone() const;
  // Returns whether a task is in stage kDraining, kRunning, kSettling or kRollingBack.
  bool IsInChange() const;
  // Returns whether a task has failed, and no other task is in change.
  bool HasFailed() const;
  // Returns the progress of a task by its NodeTask::id. Throws base::Error(kNotFound) if `tasks`
  // has none. The result must not outlive this object.
  TaskProgress& RequireTask(std::string_view id);
};

// Plans the next actions. A failed task ends the operation: nodes whose change has begun are
// completed, and no further node begins. If the failed task has a rollback, creates a Job for the
// rollback. If this Job succeeds, uncordons the node. A further node begins only while fewer than
// Wave::at_once nodes of its wave are being changed or are not Ready. If `hold` is not "", no
// further node begins, and `hold` becomes FleetProgress::waiting.
FleetProgress PlanActions(const FleetPlan& plan, const FleetFacts& facts,
                          const std::string& hold = "");

}  // namespace fleet
