// SPDX-License-Identifier: Apache-2.0
#include "fleet/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "fleet/node_commands.h"
#include "pki/crypto.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::size_t kIdDigits = 10;
constexpr std::string_view kRollbackSuffix = "-undo";  // a Job's name has at most 63 characters

std::vector<FleetNode> Selected(const OperationSpec& spec, const std::vector<FleetNode>& nodes) {
  std::vector<FleetNode> selected;
  std::ranges::copy_if(nodes, std::back_inserter(selected), [&](const FleetNode& node) {
    return std::ranges::all_of(spec.node_selector, [&](const auto& label) {
      const auto found = node.labels.find(label.first);
      return found != node.labels.end() && found->second == label.second;
    });
  });
  std::ranges::sort(selected, {}, &FleetNode::name);
  return selected;
}

// Returns the beginning of NodeTask::id, which the tasks of all rounds have in common.
std::string TaskPrefix(const ClusterOperation& operation, const std::string& node) {
  const std::string key = fmt::format("{}\n{}\n{}", operation.name, operation.uid, node);
  return fmt::format("{}-{}", operation.name,
                     base::HexEncode(pki::Sha256(key)).substr(0, kIdDigits));
}

std::string Suffix(std::string_view separator, std::string_view text) {
  return text.empty() ? "" : fmt::format("{}{}", separator, text);
}

// The nodes of an operation, in their order.
struct Fleet {
  const ClusterOperation& operation;
  std::vector<FleetNode> control_planes;
  std::vector<FleetNode> workers;
  std::string from;
};

// Adds the task of a node, unless the round has no work for it.
void AddTask(const Fleet& fleet, const Round& round, const FleetNode& node,
             const std::vector<std::string>& arguments, std::vector<NodeTask>& tasks) {
  if (arguments.empty()) {
    return;
  }
  const bool takes_key = round.shares_key && node.control_plane && fleet.control_planes.size() > 1;
  tasks.push_back({.id = TaskPrefix(fleet.operation, node.name) + Suffix("-", round.step),
                   .node = node.name,
                   .step = round.step,
                   .drains = round.drains,
                   .arguments = arguments,
                   .from = fleet.from,
                   .takes_key = takes_key,
                   .rollback = round.rollback});
  if (takes_key && tasks.size() == 1) {
    tasks.front().arguments.emplace_back("--upload-certs");
  }
}

// Moves up to `most` of the front tasks into a wave of their own.
std::vector<NodeTask> TakeFront(std::vector<NodeTask>& tasks, std::size_t most) {
  const auto end = tasks.begin() + static_cast<std::ptrdiff_t>(std::min(most, tasks.size()));
  std::vector<NodeTask> front(std::make_move_iterator(tasks.begin()), std::make_move_iterator(end));
  tasks.erase(tasks.begin(), end);
  return front;
}

// Adds the waves of a round, except waves without nodes.
void AddWaves(const Fleet& fleet, const Round& round, FleetPlan& plan) {
  const OperationSpec& spec = fleet.operation.spec;
  std::vector<NodeTask> control_planes;
  std::vector<NodeTask> workers;
  for (const FleetNode& node : fleet.control_planes) {
    const bool first = &node == &fleet.control_planes.front();
    AddTask(fleet, round, node, first ? round.first : round.control_planes, control_planes);
  }
  for (const FleetNode& node : fleet.workers) {
    AddTask(fleet, round, node, round.workers, workers);
  }
  std::vector<NodeTask> canary = TakeFront(workers, static_cast<std::size_t>(spec.canary.nodes));
  Wave waves[] = {
      {.title = "control planes", .tasks = std::move(control_planes)},
      {.title = "canary",
       .tasks = std::move(canary),
       .at_once = spec.workers.max_unavailable,
       .soak = spec.canary.soak},
      {.title = "workers", .tasks = std::move(workers), .at_once = spec.workers.max_unavailable}};
  std::size_t added = 0;
  for (Wave& wave : waves) {
    if (!wave.tasks.empty()) {
      ++added;
      wave.title += Suffix(" ", round.title);
      plan.waves.push_back(std::move(wave));
    }
  }
  if (added > 0) {
    plan.waves.back().soak = std::max(plan.waves.back().soak, round.pause);
  }
}

std::string TextOf(const NodeTask& task, std::size_t width) {
  return fmt::format("     {:<{}}  {}{}\n", task.node, width, task.drains ? "drain, " : "",
                     base::Join(task.arguments, " "));
}

}  // namespace

bool IsTaskOf(const ClusterOperation& operation, const std::string& node, std::string_view task) {
  const std::string prefix = TaskPrefix(operation, node);
  return task == prefix || task.starts_with(prefix + "-");
}

NodeTask RollbackTaskOf(const NodeTask& task) {
  return {.id = task.id + std::string(kRollbackSuffix),
          .node = task.node,
          .step = task.step,
          .drains = task.drains,
          .arguments = task.rollback,
          .from = task.from};
}

bool IsRollbackTask(std::string_view id) { return id.ends_with(kRollbackSuffix); }

FleetPlan PlanFleet(const ClusterOperation& operation, const std::vector<FleetNode>& nodes,
                    std::string_view from) {
  Fleet fleet{.operation = operation,
              .control_planes = Selected(operation.spec, nodes),
              .workers = {},
              .from = std::string(from)};
  if (fleet.control_planes.empty()) {
    throw Error(Error::Kind::kInvalid, "no node has the labels of spec.nodeSelector");
  }
  const auto [workers, end] =
      std::ranges::stable_partition(fleet.control_planes, &FleetNode::control_plane);
  fleet.workers.assign(workers, end);
  fleet.control_planes.erase(workers, end);
  FleetPlan plan;
  for (const Round& round : PlanRounds(operation, from)) {
    AddWaves(fleet, round, plan);
  }
  if (plan.waves.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("spec.nodeSelector selects only workers, which have no part in the {}",
                            operation.Title()));
  }
  return plan;
}

std::string TextOf(const FleetPlan& plan) {
  std::size_t width = 0;
  for (const Wave& wave : plan.waves) {
    for (const NodeTask& task : wave.tasks) {
      width = std::max(width, task.node.size());
    }
  }
  std::string text;
  bool rolls_back = false;
  int number = 0;
  for (const Wave& wave : plan.waves) {
    text += fmt::format("  {}. {}, {} at a time{}\n", ++number, wave.title, wave.at_once,
                        wave.soak.count() > 0
                            ? fmt::format(", then a pause of {}", base::FormatDuration(wave.soak))
                            : "");
    for (const NodeTask& task : wave.tasks) {
      text += TextOf(task, width);
      rolls_back = rolls_back || !task.rollback.empty();
    }
  }
  if (rolls_back) {
    text += "  A node on which kubeadm fails is rolled back, and the operation stops\n";
  }
  return text;
}

}  // namespace fleet
