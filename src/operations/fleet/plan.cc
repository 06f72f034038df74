// SPDX-License-Identifier: Apache-2.0
#include "fleet/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "pki/crypto.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::size_t kIdDigits = 10;

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

void AddUpgradeOptions(const UpgradeAction& upgrade, std::vector<std::string>& arguments) {
  if (!upgrade.ignore_preflight_errors.empty()) {
    arguments.push_back("--ignore-preflight-errors=" +
                        base::Join(upgrade.ignore_preflight_errors, ","));
  }
  if (!upgrade.kubelet_command.empty()) {
    arguments.push_back("--upgrade-kubelet-command=" + upgrade.kubelet_command);
  }
}

// The first control plane upgrades the cluster, every other node follows it.
std::vector<std::string> UpgradeArguments(const UpgradeAction& upgrade, bool first) {
  std::vector<std::string> arguments = {"upgrade", "node"};
  if (first) {
    arguments = {"upgrade", "apply", upgrade.version, "--yes"};
    if (!upgrade.kubelet_command.empty()) {
      arguments.emplace_back("--path");
    }
  }
  AddUpgradeOptions(upgrade, arguments);
  return arguments;
}

std::vector<std::string> RenewArguments(const RenewAction& renew) {
  std::vector<std::string> arguments = {"certs", "renew", "all", "--restart"};
  if (!renew.if_expires_within.empty()) {
    arguments.push_back("--if-expires-within=" + renew.if_expires_within);
  }
  return arguments;
}

NodeTask TaskFor(const ClusterOperation& operation, const FleetNode& node, bool first) {
  const OperationSpec& spec = operation.spec;
  return {.id = TaskIdFor(operation, node.name),
          .node = node.name,
          .drains = operation.Drains(),
          .arguments = spec.upgrade ? UpgradeArguments(*spec.upgrade, first)
                                    : RenewArguments(spec.renew_certificates.value())};
}

// Moves up to `most` of the front tasks into a wave of their own.
std::vector<NodeTask> TakeFront(std::vector<NodeTask>& tasks, std::size_t most) {
  const auto end = tasks.begin() + static_cast<std::ptrdiff_t>(std::min(most, tasks.size()));
  std::vector<NodeTask> front(std::make_move_iterator(tasks.begin()), std::make_move_iterator(end));
  tasks.erase(tasks.begin(), end);
  return front;
}

std::string TextOf(const NodeTask& task, std::size_t width) {
  return fmt::format("     {:<{}}  {}{}\n", task.node, width, task.drains ? "drain, " : "",
                     base::Join(task.arguments, " "));
}

}  // namespace

std::string TaskIdFor(const ClusterOperation& operation, const std::string& node) {
  const std::string key = fmt::format("{}\n{}\n{}", operation.name, operation.uid, node);
  return fmt::format("{}-{}", operation.name,
                     base::HexEncode(pki::Sha256(key)).substr(0, kIdDigits));
}

FleetPlan PlanFleet(const ClusterOperation& operation, const std::vector<FleetNode>& nodes) {
  const OperationSpec& spec = operation.spec;
  const std::vector<FleetNode> selected = Selected(spec, nodes);
  if (selected.empty()) {
    throw Error(Error::Kind::kInvalid, "no node has the labels of spec.nodeSelector");
  }
  std::vector<NodeTask> control_planes;
  std::vector<NodeTask> workers;
  for (const FleetNode& node : selected) {
    if (node.control_plane) {
      control_planes.push_back(TaskFor(operation, node, control_planes.empty()));
    } else if (spec.upgrade) {  // workers have no certificates of kubeadm
      workers.push_back(TaskFor(operation, node, false));
    }
  }
  if (control_planes.empty() && workers.empty()) {
    throw Error(Error::Kind::kInvalid,
                "spec.nodeSelector selects only workers, which have no certificates to renew");
  }
  std::vector<NodeTask> canary = TakeFront(workers, static_cast<std::size_t>(spec.canary.nodes));
  FleetPlan plan{.waves = {
                     {.title = "control planes", .tasks = std::move(control_planes)},
                     {.title = "canary",
                      .tasks = std::move(canary),
                      .at_once = spec.workers.max_unavailable,
                      .soak = spec.canary.soak},
                     {.title = "workers",
                      .tasks = std::move(workers),
                      .at_once = spec.workers.max_unavailable},
                 }};
  std::erase_if(plan.waves, [](const Wave& wave) { return wave.tasks.empty(); });
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
  int number = 0;
  for (const Wave& wave : plan.waves) {
    text += fmt::format("  {}. {}, {} at a time{}\n", ++number, wave.title, wave.at_once,
                        wave.soak.count() > 0
                            ? fmt::format(", then a pause of {}", base::FormatDuration(wave.soak))
                            : "");
    for (const NodeTask& task : wave.tasks) {
      text += TextOf(task, width);
    }
  }
  return text;
}

}  // namespace fleet
