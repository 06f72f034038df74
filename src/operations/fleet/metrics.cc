// SPDX-License-Identifier: Apache-2.0
#include "fleet/metrics.h"

#include <fmt/core.h>

#include <utility>

#include "fleet/progress.h"
#include "fleet/status.h"

namespace fleet {
namespace {

std::string Head(std::string_view name, std::string_view help, std::string_view type) {
  return fmt::format("# HELP {0} {1}.\n# TYPE {0} {2}\n", name, help, type);
}

// Counts `text`, which is a value in an object, under its own name if this name is known. Otherwise
// counts it under the name of `otherwise`.
template <typename Enum>
void Count(const std::string& text, Enum otherwise, std::map<std::string, std::size_t>& counts) {
  const auto known = counts.find(text);
  ++(known == counts.end() ? counts[std::string(ToString(otherwise))] : known->second);
}

template <typename Enum>
std::map<std::string, std::size_t> Zeros(Enum value) {
  std::map<std::string, std::size_t> counts;
  for (const std::string_view name : EnumNames(value)) {
    counts[std::string(name)] = 0;
  }
  return counts;
}

}  // namespace

OperatorMetrics::NodeCounts OperatorMetrics::NodesOf(const json::Value& object) {
  NodeCounts counts{.operation = json::TextAt(object, {"metadata", "name"}),
                    .stages = Zeros(Stage::kPending)};
  for (const json::Value& row : json::At(object, {"status", "nodes"})) {
    Count(json::TextAt(row, {"stage"}), Stage::kPending, counts.stages);
  }
  return counts;
}

void OperatorMetrics::SetLeads(bool leads) {
  const std::scoped_lock lock(mutex_);
  leads_ = leads;
}

void OperatorMetrics::CountFailedPass() {
  const std::scoped_lock lock(mutex_);
  ++failed_passes_;
}

void OperatorMetrics::CountObjects(std::span<const json::Value> objects) {
  std::map<std::string, std::size_t> phases = Zeros(Phase::kPending);
  std::size_t stalled = 0;
  std::vector<NodeCounts> nodes;
  for (const json::Value& object : objects) {
    Count(json::TextAt(object, {"status", "phase"}), Phase::kPending, phases);
    if (IsFinished(object)) {
      continue;
    }
    stalled += StalledSince(object) ? 1 : 0;
    const json::Value& rows = json::At(object, {"status", "nodes"});
    if (rows.is_array() && !rows.empty()) {
      nodes.push_back(NodesOf(object));
    }
  }
  const std::scoped_lock lock(mutex_);
  phases_ = std::move(phases);
  stalled_ = stalled;
  nodes_ = std::move(nodes);
}

std::string OperatorMetrics::Text() const {
  const std::scoped_lock lock(mutex_);
  std::string text = Head("leader_election_master_status", "Whether this process leads", "gauge");
  text +=
      fmt::format("leader_election_master_status{{name=\"slipway-fleet\"}} {}\n", leads_ ? 1 : 0);
  text += Head("slipway_operator_failed_passes_total",
               "Passes that could not list the ClusterOperations", "counter");
  text += fmt::format("slipway_operator_failed_passes_total {}\n", failed_passes_);
  if (phases_.empty()) {
    return text;
  }
  text += Head("slipway_operations", "ClusterOperations, by phase", "gauge");
  for (const auto& [phase, count] : phases_) {
    text += fmt::format("slipway_operations{{phase=\"{}\"}} {}\n", phase, count);
  }
  text += Head("slipway_operations_stalled",
               "ClusterOperations that the operator cannot work on at present", "gauge");
  text += fmt::format("slipway_operations_stalled {}\n", stalled_);
  text += Head("slipway_operation_nodes",
               "Tasks of an operation that has begun and not ended, by stage", "gauge");
  for (const NodeCounts& counts : nodes_) {
    for (const auto& [stage, count] : counts.stages) {
      text += fmt::format("slipway_operation_nodes{{operation=\"{}\",stage=\"{}\"}} {}\n",
                          counts.operation, stage, count);
    }
  }
  return text;
}

}  // namespace fleet
