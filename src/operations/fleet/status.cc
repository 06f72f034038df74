// SPDX-License-Identifier: Apache-2.0
#include "fleet/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/rfc3339.h"
#include "kube/objects.h"
#include "pki/crypto.h"

namespace fleet {
namespace {

constexpr std::size_t kNameDigits = 16;
constexpr const char* kEventNamespace = "default";  // of Events about cluster-scoped objects

std::string_view NameOf(Stage stage) { return EnumNames(stage)[static_cast<std::size_t>(stage)]; }

json::Value Condition(const json::Value& object, std::string_view type, bool holds,
                      const StatusFacts& facts, std::chrono::sys_seconds now) {
  const std::string_view status = holds ? "True" : "False";
  const json::Value* old = kube::FindCondition(object, type);
  const bool same = old != nullptr && json::TextAt(*old, {"status"}) == status;
  return {{"type", type},
          {"status", status},
          {"reason", ToString(facts.phase)},
          {"message", facts.message},
          {"lastTransitionTime",
           same ? json::TextAt(*old, {"lastTransitionTime"}) : json::FormatRfc3339(now)}};
}

json::Value Nodes(const std::vector<TaskProgress>& tasks) {
  json::Value nodes = json::Value::array();
  for (const TaskProgress& task : tasks) {
    nodes.push_back(
        {{"name", task.node}, {"stage", NameOf(task.stage)}, {"message", task.message}});
  }
  return nodes;
}

std::string StageIn(const json::Value& object, const std::string& node) {
  for (const json::Value& row : json::At(object, {"status", "nodes"})) {
    if (json::TextAt(row, {"name"}) == node) {
      return json::TextAt(row, {"stage"});
    }
  }
  return "";
}

json::Value Event(const json::Value& object, const TaskProgress& task,
                  std::chrono::sys_seconds now) {
  const std::string name = json::TextAt(object, {"metadata", "name"});
  const std::string uid = json::TextAt(object, {"metadata", "uid"});
  const std::string_view stage = NameOf(task.stage);
  const std::string message = fmt::format("node {}: {}{}{}", task.node, stage,
                                          task.message.empty() ? "" : ": ", task.message);
  const std::string digest =
      base::HexEncode(pki::Sha256(fmt::format("{}\n{}\n{}", uid, task.node, stage)));
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
          {"type", task.stage == Stage::kFailed ? "Warning" : "Normal"},
          {"reason", fmt::format("Node{}", stage)},
          {"message", message},
          {"source", {{"component", "slipway-operator"}}},
          {"firstTimestamp", time},
          {"lastTimestamp", time},
          {"count", 1}};
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
      causes += fmt::format("{}{}: {}", causes.empty() ? "" : "; ", task.node, task.message);
    }
  }
  return causes;
}

json::Value StatusFor(const json::Value& object, const StatusFacts& facts,
                      std::chrono::sys_seconds now) {
  const auto done = std::ranges::count(facts.tasks, Stage::kDone, &TaskProgress::stage);
  json::Value status = {
      {"phase", ToString(facts.phase)},
      {"message", facts.message},
      {"progress", fmt::format("{}/{}", done, facts.tasks.size())},
      {"observedGeneration", json::At(object, {"metadata", "generation"})},
      {"nodes", Nodes(facts.tasks)},
      {"conditions",
       json::Value::array(
           {Condition(object, "Complete", facts.phase == Phase::kComplete, facts, now),
            Condition(object, "Failed", facts.phase == Phase::kFailed, facts, now)})}};
  const auto keep_time = [&](const char* field, bool begun) {
    const std::string old = json::TextAt(object, {"status", field});
    if (begun) {
      status[field] = old.empty() ? json::FormatRfc3339(now) : old;
    }
  };
  keep_time("startTime", facts.phase != Phase::kPending);
  keep_time("completionTime", facts.phase == Phase::kComplete || facts.phase == Phase::kFailed);
  return status;
}

bool IsFinished(const json::Value& object) {
  const std::string phase = json::TextAt(object, {"status", "phase"});
  return phase == ToString(Phase::kComplete) || phase == ToString(Phase::kFailed);
}

std::vector<json::Value> EventsFor(const json::Value& object,
                                   const std::vector<TaskProgress>& tasks,
                                   std::chrono::sys_seconds now) {
  std::vector<json::Value> events;
  for (const TaskProgress& task : tasks) {
    if (task.stage != Stage::kPending && StageIn(object, task.node) != NameOf(task.stage)) {
      events.push_back(Event(object, task, now));
    }
  }
  return events;
}

}  // namespace fleet
