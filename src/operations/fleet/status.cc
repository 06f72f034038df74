// SPDX-License-Identifier: Apache-2.0
#include "fleet/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "fleet/facts.h"
#include "json/rfc3339.h"
#include "kube/objects.h"
#include "pki/crypto.h"

namespace fleet {
namespace {

constexpr std::size_t kNameDigits = 16;
constexpr const char* kEventNamespace = "default";  // of Events about cluster-scoped objects

constexpr const char* kStalled = "Stalled";
constexpr const char* kRolledBack = "RolledBack";

// A condition of a status.
struct ConditionFacts {
  std::string_view type;
  bool holds = false;
  std::string_view reason;
  std::string_view message;
};

json::Value Condition(const json::Value& object, const ConditionFacts& facts,
                      std::chrono::sys_seconds now) {
  const std::string_view status = facts.holds ? "True" : "False";
  const json::Value* old = kube::FindCondition(object, facts.type);
  const bool same = old != nullptr && json::TextAt(*old, {"status"}) == status;
  return {{"type", facts.type},
          {"status", status},
          {"reason", facts.reason},
          {"message", Shortened(facts.message)},
          {"lastTransitionTime",
           same ? json::TextAt(*old, {"lastTransitionTime"}) : json::FormatRfc3339(now)}};
}

// Returns the row of a task in the object's present status; null without one.
const json::Value& RowIn(const json::Value& object, const TaskProgress& task) {
  for (const json::Value& row : json::At(object, {"status", "nodes"})) {
    if (json::TextAt(row, {"name"}) == task.node && json::TextAt(row, {"step"}) == task.step) {
      return row;
    }
  }
  static const json::Value none;
  return none;
}

// Sets the field of `value` to its time in `old`, or to `now` if `old` has none.
void KeepTime(const json::Value& old, const char* field, std::chrono::sys_seconds now,
              json::Value& value) {
  const std::string time = json::TextAt(old, {field});
  value[field] = time.empty() ? json::FormatRfc3339(now) : time;
}

json::Value Nodes(const json::Value& object, const std::vector<TaskProgress>& tasks,
                  std::chrono::sys_seconds now) {
  json::Value nodes = json::Value::array();
  for (const TaskProgress& task : tasks) {
    const json::Value& old = RowIn(object, task);
    json::Value row = {
        {"name", task.node}, {"stage", ToString(task.stage)}, {"message", Shortened(task.message)}};
    if (!task.step.empty()) {
      row["step"] = task.step;
    }
    if (task.stage != Stage::kPending) {
      KeepTime(old, "startTime", task.began.value_or(now), row);
    }
    if (task.stage == Stage::kDone || task.stage == Stage::kFailed) {
      KeepTime(old, "completionTime", now, row);
    }
    nodes.push_back(std::move(row));
  }
  return nodes;
}

// An Event about an operation. `key` identifies the change among those of the same object.
struct EventFacts {
  std::string key;
  bool warns = false;
  std::string reason;
  std::string message;
};

json::Value Event(const json::Value& object, const EventFacts& facts,
                  std::chrono::sys_seconds now) {
  const std::string name = json::TextAt(object, {"metadata", "name"});
  const std::string uid = json::TextAt(object, {"metadata", "uid"});
  const std::string digest = base::HexEncode(pki::Sha256(fmt::format("{}\n{}", uid, facts.key)));
  const std::string time = json::FormatRfc3339(now);
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata",
           {{"name", fmt::format("{}.{}", name, digest.substr(0, kNameDigits))},
            {"namespace", kEventNamespace}}},
          {"involvedObject",
           {{"apiVersion", "operations.slipway/v1alpha1"},
            {"kind", kClusterOperation.kind},
            {"name", name},
            {"uid", uid}}},
          {"type", facts.warns ? "Warning" : "Normal"},
          {"reason", facts.reason},
          {"message", Shortened(facts.message)},
          {"source", {{"component", "slipway-operator"}}},
          {"firstTimestamp", time},
          {"lastTimestamp", time},
          {"count", 1}};
}

json::Value NodeEvent(const json::Value& object, const TaskProgress& task,
                      std::chrono::sys_seconds now) {
  const std::string_view stage = ToString(task.stage);
  return Event(object,
               {.key = fmt::format("{}\n{}\n{}", task.node, task.step, stage),
                .warns = task.stage == Stage::kFailed || task.stage == Stage::kRollingBack,
                .reason = fmt::format("Node{}", stage),
                .message = fmt::format("node {}: {}{}{}", task.Subject(), stage,
                                       task.message.empty() ? "" : ": ", task.message)},
               now);
}

}  // namespace

std::span<const std::string_view> EnumNames(Phase /*phase*/) {
  static constexpr std::array<std::string_view, 5> kNames = {"Pending", "Running", "Paused",
                                                             "Complete", "Failed"};
  return kNames;
}

std::string_view ToString(Phase phase) { return EnumNames(phase)[static_cast<std::size_t>(phase)]; }

Phase PhaseOf(const FleetProgress& progress, bool paused) {
  if (progress.IsDone()) {
    return Phase::kComplete;
  }
  if (progress.HasFailed()) {
    return Phase::kFailed;
  }
  return paused ? Phase::kPaused : Phase::kRunning;
}

std::string CausesOf(const FleetProgress& progress) {
  std::string causes;
  for (const TaskProgress& task : progress.tasks) {
    if (task.stage == Stage::kFailed) {
      causes += fmt::format("{}{}: {}", causes.empty() ? "" : "; ", task.Subject(), task.message);
    }
  }
  return causes;
}

namespace {

// Adds condition RolledBack if a failed node has a rollback. The condition is True if all failed
// nodes were rolled back.
void AddRollback(const json::Value& object, const StatusFacts& facts, std::chrono::sys_seconds now,
                 json::Value& conditions) {
  std::size_t begun = 0;
  bool all = facts.phase == Phase::kFailed;
  for (const TaskProgress& task : facts.tasks.value_or(std::vector<TaskProgress>{})) {
    begun += task.rolled_back ? 1 : 0;
    all = all && (task.stage != Stage::kFailed || task.rolled_back == true);
  }
  if (begun > 0) {
    conditions.push_back(Condition(object,
                                   {.type = kRolledBack,
                                    .holds = all,
                                    .reason = ToString(facts.phase),
                                    .message = facts.message},
                                   now));
  }
}

}  // namespace

json::Value StatusFor(const json::Value& object, const StatusFacts& facts,
                      std::chrono::sys_seconds now) {
  const std::string_view phase = ToString(facts.phase);
  const auto condition = [&](std::string_view type, bool holds) {
    return Condition(
        object, {.type = type, .holds = holds, .reason = phase, .message = facts.message}, now);
  };
  const bool failed = facts.phase == Phase::kFailed;
  const bool ended = failed || facts.phase == Phase::kComplete;
  json::Value status = {
      {"phase", phase},
      {"message", Shortened(facts.message)},
      {"observedGeneration", json::At(object, {"metadata", "generation"})},
      {"nodes", json::Value::array()},
      {"progress", "0/0"},
      {"conditions",
       json::Value::array(
           {condition("Complete", facts.phase == Phase::kComplete), condition("Failed", failed),
            condition("Ready", facts.phase == Phase::kComplete), condition("Reconciling", !ended),
            Condition(object,
                      {.type = kStalled,
                       .holds = failed,
                       .reason = phase,
                       .message = failed ? std::string_view(facts.message) : ""},
                      now)})}};
  AddRollback(object, facts, now, status["conditions"]);
  if (facts.tasks) {
    const auto done = std::ranges::count(*facts.tasks, Stage::kDone, &TaskProgress::stage);
    status["nodes"] = Nodes(object, *facts.tasks, now);
    status["progress"] = fmt::format("{}/{}", done, facts.tasks->size());
  } else if (json::At(object, {"status", "nodes"}).is_array()) {
    status["nodes"] = json::At(object, {"status", "nodes"});
    status["progress"] = json::TextAt(object, {"status", "progress"});
  }
  const json::Value& old = json::At(object, {"status"});
  if (facts.phase != Phase::kPending) {
    KeepTime(old, "startTime", now, status);
  }
  if (ended) {
    KeepTime(old, "completionTime", now, status);
  }
  return status;
}

json::Value StalledStatusFor(const json::Value& object, const std::string& cause,
                             std::chrono::sys_seconds now) {
  json::Value status = json::At(object, {"status"});
  if (!status.is_object() || json::TextAt(status, {"phase"}).empty()) {
    status = StatusFor(object, {.phase = Phase::kPending, .message = {}, .tasks = {}}, now);
  }
  json::Value conditions = json::Value::array();
  for (const json::Value& condition : json::At(status, {"conditions"})) {
    if (json::TextAt(condition, {"type"}) != kStalled) {
      conditions.push_back(condition);
    }
  }
  conditions.push_back(Condition(
      object, {.type = kStalled, .holds = true, .reason = "PassFailed", .message = cause}, now));
  status["conditions"] = std::move(conditions);
  return status;
}

std::optional<std::chrono::sys_seconds> StalledSince(const json::Value& object) {
  const json::Value* stalled = kube::FindCondition(object, kStalled);
  return stalled != nullptr && json::TextAt(*stalled, {"status"}) == "True"
             ? json::ParseRfc3339(json::TextAt(*stalled, {"lastTransitionTime"}))
             : std::nullopt;
}

bool IsFinished(const json::Value& object) {
  const std::string phase = json::TextAt(object, {"status", "phase"});
  return phase == ToString(Phase::kComplete) || phase == ToString(Phase::kFailed);
}

std::vector<json::Value> EventsFor(const json::Value& object, const StatusFacts& facts,
                                   std::chrono::sys_seconds now) {
  std::vector<json::Value> events;
  for (const TaskProgress& task : facts.tasks.value_or(std::vector<TaskProgress>{})) {
    if (task.stage != Stage::kPending &&
        json::TextAt(RowIn(object, task), {"stage"}) != ToString(task.stage)) {
      events.push_back(NodeEvent(object, task, now));
    }
  }
  const bool ended = facts.phase == Phase::kComplete || facts.phase == Phase::kFailed;
  if (ended && !IsFinished(object)) {
    const std::string phase(ToString(facts.phase));
    events.push_back(
        Event(object,
              {.key = phase,
               .warns = facts.phase == Phase::kFailed,
               .reason = "Operation" + phase,
               .message = facts.message.empty() ? "all nodes are done" : facts.message},
              now));
  }
  return events;
}

json::Value StallEventFor(const json::Value& object, const std::string& cause,
                          std::chrono::sys_seconds now) {
  return Event(object,
               {.key = fmt::format("{}\n{}", kStalled, json::FormatRfc3339(now)),
                .warns = true,
                .reason = kStalled,
                .message = cause},
               now);
}

}  // namespace fleet
