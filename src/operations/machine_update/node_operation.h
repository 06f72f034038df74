// SPDX-License-Identifier: Apache-2.0
// The ClusterOperation that updates the node of one Machine.
#pragma once

#include <string>

#include "json/value.h"
#include "machine_update/updated_machine.h"

namespace machine_update {

// The source of kubelets (fleet::UpgradeAction); both empty: kubelets keep their version.
struct KubeletSource {
  std::string image;
  std::string command;

  bool IsSet() const { return !image.empty() || !command.empty(); }
};

// Returns the name of the ClusterOperation. It depends on the Machine's UID and on its desired
// state. A repeated call therefore finds the operation, and a later update has another operation.
// The generations of the objects distinguish updates that return to an earlier state.
std::string OperationNameOf(const UpdatedMachine& machine);

// Returns the ClusterOperation. It runs `kubeadm upgrade node` on the Machine's node only. Cluster
// API itself stores the configuration, and upgrades kube-proxy and CoreDNS. The node is drained if
// its kubelet gets another version.
json::Value OperationFor(const UpdatedMachine& machine, const UpdatedNode& node,
                         const KubeletSource& kubelets);

}  // namespace machine_update
