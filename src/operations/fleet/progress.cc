// SPDX-License-Identifier: Apache-2.0
#include "fleet/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "json/rfc3339.h"

namespace fleet {
namespace {

bool IsInChange(Stage stage) {
  return stage == Stage::kDraining || stage == Stage::kRunning || stage == Stage::kSettling ||
         stage == Stage::kRollingBack;
}

const TaskJob* FindJob(const std::string& id, const FleetFacts& facts) {
  const auto found = facts.jobs.find(id);
  return found == facts.jobs.end() ? nullptr : &found->second;
}

// Completes the progress of a task whose Job has failed.
void AddFailure(const NodeTask& task, const std::string& cause, const FleetFacts& facts,
                TaskProgress& progress) {
  progress.stage = Stage::kFailed;
  progress.message = cause;
  if (task.rollback.empty()) {
    return;
  }
  const FleetNode& node = RequireNode(facts, task.node);
  const TaskJob* job = FindJob(RollbackTaskOf(task).id, facts);
  progress.rolled_back = job != nullptr && job->state == TaskJob::State::kSucceeded;
  if (job == nullptr || job->state == TaskJob::State::kActive) {
    progress.stage = Stage::kRollingBack;
  } else if (job->state == TaskJob::State::kFailed) {
    progress.message = fmt::format("{}; its rollback has failed: {}", cause, job->cause);
  } else if (node.task == task.id) {
    progress.stage = Stage::kRollingBack;
    progress.message = node.ready ? cause : cause + "; the node is not Ready";
  } else {
    progress.message = cause + "; the node was rolled back";
  }
}

TaskProgress ProgressOf(const NodeTask& task, const FleetFacts& facts) {
  const FleetNode& node = RequireNode(facts, task.node);
  const TaskJob* job = FindJob(task.id, facts);
  const bool ours = node.task == task.id;
  TaskProgress progress{
      .id = task.id, .node = task.node, .step = task.step, .stage = Stage::kPending, .message = {}};
  if (ours && node.since) {
    progress.began = node.since;
  } else if (job != nullptr) {
    progress.began = job->began;
  }
  if (const auto failure = facts.failures.find(task.id); failure != facts.failures.end()) {
    progress.stage = Stage::kFailed;
    progress.message = failure->second;
  } else if (job == nullptr) {
    progress.stage = ours ? Stage::kDraining : Stage::kPending;
  } else if (job->state == TaskJob::State::kActive) {
    progress.stage = Stage::kRunning;
  } else if (job->state == TaskJob::State::kFailed) {
    AddFailure(task, job->cause, facts, progress);
  } else if (ours) {
    progress.stage = Stage::kSettling;
    progress.message = node.ready ? "" : "the node is not Ready";
  } else {
    progress.stage = Stage::kDone;
  }
  return progress;
}

// Adds the actions that complete a node in change.
void AddCompletion(const NodeTask& task, const TaskProgress& progress, const FleetFacts& facts,
                   std::vector<FleetAction>& actions) {
  if (progress.stage == Stage::kDraining) {
    actions.push_back({.kind = FleetAction::Kind::kDrain, .task = task});
  } else if (progress.stage == Stage::kRollingBack &&
             FindJob(RollbackTaskOf(task).id, facts) == nullptr) {
    actions.push_back({.kind = FleetAction::Kind::kRollback, .task = task});
  } else if ((progress.stage == Stage::kSettling || progress.rolled_back == true) &&
             RequireNode(facts, task.node).task == task.id && RequireNode(facts, task.node).ready) {
    actions.push_back({.kind = FleetAction::Kind::kUncordon, .task = task});
  }
}

// The progress of one wave.
struct WaveState {
  const Wave& wave;
  std::span<const TaskProgress> tasks;  // in the order of the wave's tasks
  const FleetFacts& facts;
};

bool IsDone(const WaveState& state) {
  return std::ranges::all_of(state.tasks,
                             [](const auto& task) { return task.stage == Stage::kDone; });
}

// Returns the end of the soak time of a completed wave; std::nullopt after that time.
std::optional<std::chrono::sys_seconds> SoaksUntil(const WaveState& state) {
  std::chrono::sys_seconds last{};
  for (const NodeTask& task : state.wave.tasks) {
    if (const TaskJob* job = FindJob(task.id, state.facts)) {
      last = std::max(last, job->ended.value_or(last));
    }
  }
  const auto until = last + std::chrono::ceil<std::chrono::seconds>(state.wave.soak);
  return state.facts.now < until ? std::optional(until) : std::nullopt;
}

// Returns why a node cannot begin. A Job cannot start where the kubelet is silent.
std::string NotReady(const FleetNode& node) {
  std::string text = fmt::format("node {} is not Ready", node.name);
  if (node.silent) {
    text +=
        ": its kubelet does not report. If the API server refuses the kubelet, run \"kubeadm node "
        "recover\" on that node";
  }
  return text;
}

// Adds the actions that begin further nodes of the current wave, or the reason why none may begin.
void Begin(const WaveState& state, FleetProgress& progress) {
  int unavailable = 0;
  for (const TaskProgress& task : state.tasks) {
    const FleetNode& node = RequireNode(state.facts, task.node);
    if (IsInChange(task.stage)) {
      ++unavailable;
    } else if (!node.ready) {
      ++unavailable;
      progress.waiting = NotReady(node);
    }
  }
  for (std::size_t i = 0; i < state.tasks.size() && unavailable < state.wave.at_once; ++i) {
    const NodeTask& task = state.wave.tasks[i];
    const FleetNode& node = RequireNode(state.facts, task.node);
    if (state.tasks[i].stage != Stage::kPending || !node.ready) {
      continue;
    }
    if (!node.task.empty()) {
      progress.waiting =
          fmt::format("node {} belongs to another operation's task {}", node.name, node.task);
      return;
    }
    progress.actions.push_back(
        {.kind = task.drains ? FleetAction::Kind::kCordon : FleetAction::Kind::kStart,
         .task = task});
    ++unavailable;
  }
}

}  // namespace

std::span<const std::string_view> EnumNames(Stage /*stage*/) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "Pending", "Draining", "Running", "Settling", "RollingBack", "Done", "Failed"};
  return kNames;
}

std::string_view ToString(Stage stage) { return EnumNames(stage)[static_cast<std::size_t>(stage)]; }

std::string TaskProgress::Subject() const {
  return step.empty() ? node : fmt::format("{} ({})", node, step);
}

bool FleetProgress::IsDone() const {
  return std::ranges::all_of(tasks, [](const auto& task) { return task.stage == Stage::kDone; });
}

bool FleetProgress::IsInChange() const {
  return std::ranges::any_of(tasks, [](const auto& task) { return fleet::IsInChange(task.stage); });
}

bool FleetProgress::HasFailed() const {
  return std::ranges::contains(tasks, Stage::kFailed, &TaskProgress::stage) && !IsInChange();
}

TaskProgress& FleetProgress::RequireTask(std::string_view id) {
  const auto found = std::ranges::find(tasks, id, &TaskProgress::id);
  if (found == tasks.end()) {
    throw base::Error(
        base::Error::Kind::kNotFound,
        fmt::format("an action is planned for task \"{}\", which is not in the operation's plan",
                    id));
  }
  return *found;
}

FleetProgress PlanActions(const FleetPlan& plan, const FleetFacts& facts, const std::string& hold) {
  FleetProgress progress;
  for (const Wave& wave : plan.waves) {
    for (const NodeTask& task : wave.tasks) {
      progress.tasks.push_back(ProgressOf(task, facts));
      AddCompletion(task, progress.tasks.back(), facts, progress.actions);
    }
  }
  if (std::ranges::any_of(progress.tasks, [](const auto& task) {
        return task.stage == Stage::kFailed || task.stage == Stage::kRollingBack;
      })) {
    return progress;
  }
  if (!hold.empty() && !progress.IsDone()) {
    progress.waiting = hold;
    return progress;
  }
  std::size_t begin = 0;
  for (const Wave& wave : plan.waves) {
    const WaveState state{
        .wave = wave,
        .tasks = std::span<const TaskProgress>(progress.tasks).subspan(begin, wave.tasks.size()),
        .facts = facts};
    begin += wave.tasks.size();
    if (!IsDone(state)) {
      Begin(state, progress);
      break;
    }
    const auto until = SoaksUntil(state);
    if (until && begin < progress.tasks.size()) {  // no pause after the last wave
      progress.waiting =
          fmt::format("{} nodes soak until {}", wave.title, json::FormatRfc3339(*until));
      break;
    }
  }
  return progress;
}

}  // namespace fleet
