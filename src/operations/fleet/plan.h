// SPDX-License-Identifier: Apache-2.0
// The plan of an operation: the work on each node, and the order of the nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "fleet/cluster_operation.h"
#include "fleet/facts.h"

namespace fleet {

// The work of an operation on one node, in one of its rounds.
struct NodeTask {
  std::string id;    // name of its Job; unique to operation, node and step
  std::string node;  // name of the Node
  std::string step;  // Round::step
  bool drains = false;
  std::vector<std::string> arguments;  // of kubeadm on the node
  std::string from;                    // version of the cluster before an upgrade; "": unknown
  // True if the command also gets --certificate-key, with the key from the operation's Secret.
  bool takes_key = false;
  // The arguments of kubeadm for a rollback, if the command of `arguments` fails; empty: none.
  std::vector<std::string> rollback = {};
};

// Nodes that may be changed in any order. A wave begins when the previous wave is complete and its
// soak time has passed.
struct Wave {
  std::string title;  // "control planes"
  std::vector<NodeTask> tasks;
  int at_once = 1;  // largest number of nodes in change or not Ready
  base::Duration soak{0};
};

struct FleetPlan {
  std::vector<Wave> waves;  // no wave is empty
};

// Returns whether a task belongs to the operation and to that node, in any of the operation's
// rounds.
bool IsTaskOf(const ClusterOperation& operation, const std::string& node, std::string_view task);

// Returns the task that rolls back a failed task. Its Job has another name than the failed Job. The
// failed task must have arguments for the rollback.
NodeTask RollbackTaskOf(const NodeTask& task);
// Returns whether the Job of this name runs a rollback (RollbackTaskOf).
bool IsRollbackTask(std::string_view id);

// Plans the operation with all its rounds (PlanRounds). In each round, control-plane nodes come
// first, one at a time, then the canary workers, then the other workers. `from` is the version of
// the cluster before an upgrade. Throws base::Error(kInvalid) if the node selector matches no node,
// or if none of the selected nodes has work.
FleetPlan PlanFleet(const ClusterOperation& operation, const std::vector<FleetNode>& nodes,
                    std::string_view from = "");

// Describes the plan to people, in several lines.
std::string TextOf(const FleetPlan& plan);

}  // namespace fleet
