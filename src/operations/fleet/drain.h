// SPDX-License-Identifier: Apache-2.0
// Draining of a node: which Pods are evicted, and their eviction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/cluster_operation.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

// The Pods of a node that must leave it.
struct DrainPlan {
  std::vector<json::Value> pods;     // to evict, or terminating
  std::vector<std::string> orphans;  // "namespace/name" of Pods that no controller replaces
};

// Plans a drain. Leaves out static Pods, Pods of DaemonSets, completed Pods, and Pods of
// operations. With `force`, no Pod counts as an orphan.
DrainPlan PlanDrain(const std::vector<json::Value>& pods, bool force);

// The cordon of a Node by a task.
struct Cordon {
  std::string_view node;
  std::string_view task;
  std::string time;  // RFC 3339
  bool cordoned_before = false;
};
// Makes the Node unschedulable, and annotates it with the task. Throws the errors of kube::Client.
void ApplyCordon(kube::Client& client, const Cordon& cordon);

// Removes the task's annotations from the Node. Also makes the Node schedulable, unless it was
// already cordoned before the task. Throws the errors of kube::Client.
void RemoveCordon(kube::Client& client, std::string_view node, bool cordoned_before);

// Evicts the Pods of a node with the Eviction API, which respects disruption budgets. Returns a
// line for each Pod that still runs: "default/web-1: its disruption budget allows no eviction now".
// Throws base::Error(kInvalid) for orphans, and the errors of kube::Client.
std::vector<std::string> ApplyDrain(kube::Client& client, std::string_view node,
                                    const DrainRules& rules);

}  // namespace fleet
