// SPDX-License-Identifier: Apache-2.0
// The commands of kubeadm that an operation runs on the nodes, round by round.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "fleet/cluster_operation.h"

namespace fleet {

// The kubeadm arguments of each node in one round. A node without arguments has no work in this
// round.
struct Round {
  std::string step;   // part of NodeTask::id, "v1-36"; "" if the operation has one round
  std::string title;  // "to v1.36.4"; "" if the operation has one round
  bool drains = false;
  bool shares_key = false;                  // control planes share a key pair through a Secret
  base::Duration pause{0};                  // after the round
  std::vector<std::string> first;           // on the first control plane
  std::vector<std::string> control_planes;  // on each other control plane
  std::vector<std::string> workers;
  // The rollback on a node whose command has failed. Empty without a rollback.
  std::vector<std::string> rollback = {};
};

// Plans the rounds of an operation. An upgrade over several minor versions from version `from`
// begins with a round for the checks of the whole path. Each minor version has one more round.
// Workers are upgraded in the last round, or earlier if their kubelets would be too old for the
// next version (kubernetes.io/releases/version-skew-policy). If `from` is "", or with nodesOnly, an
// upgrade has one round.
std::vector<Round> PlanRounds(const ClusterOperation& operation, std::string_view from);

}  // namespace fleet
