// SPDX-License-Identifier: Apache-2.0
// The plan of an operation: the work on each node, and the order of the nodes.
#pragma once

#include <string>
#include <vector>

#include "base/duration.h"
#include "fleet/cluster_operation.h"
#include "fleet/facts.h"

namespace fleet {

// The work of an operation on one node.
struct NodeTask {
  std::string id;    // name of its Job; unique to operation and node
  std::string node;  // name of the Node
  bool drains = false;
  std::vector<std::string> arguments;  // of kubeadm on the node
};

// Nodes between which the order does not matter. A wave begins when the previous one is done and
// has soaked.
struct Wave {
  std::string title;  // "control planes"
  std::vector<NodeTask> tasks;
  int at_once = 1;  // nodes of the wave in change or not Ready at a time
  base::Duration soak{0};
};

struct FleetPlan {
  std::vector<Wave> waves;  // none is empty
};

// Returns NodeTask::id of the operation's task on a node.
std::string TaskIdFor(const ClusterOperation& operation, const std::string& node);

// Plans the operation: control planes first, one at a time, then the canary workers, then the other
// workers. Throws base::Error(kInvalid) if no node has the labels of the node selector, or none of
// the selected nodes has work.
FleetPlan PlanFleet(const ClusterOperation& operation, const std::vector<FleetNode>& nodes);

// Describes the plan to people, in several lines.
std::string TextOf(const FleetPlan& plan);

}  // namespace fleet
