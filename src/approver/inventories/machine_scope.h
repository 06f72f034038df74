// SPDX-License-Identifier: Apache-2.0
// Selects this cluster's Machines. A management cluster has the Machines of many clusters, and a
// Machine of another cluster must not attest a node of this cluster.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "judgement/facts.h"

namespace inventories {

// Selects among the Machines of one API group. Machines of the Machine API (machine.openshift.io)
// always belong to the cluster in which they are stored. In Cluster API, spec.clusterName names the
// cluster; names of clusters are unique in a namespace. Not thread-safe.
class MachineScope {
 public:
  // `cluster` is the spec.clusterName to select; "" if there is only one cluster.
  MachineScope(std::string group, std::string cluster)
      : group_(std::move(group)), cluster_(std::move(cluster)) {}

  // Adds a Machine, replacing the previous Machine with the same namespace and name. Returns
  // whether the Machine is in the selection.
  bool Put(const judgement::Machine& machine);
  void Remove(const std::string& name_space, const std::string& name);

  // Returns why the selection is ambiguous: its Machines belong to several clusters. Machines of an
  // ambiguous selection must not attest. Returns std::nullopt if the selection is unambiguous.
  std::optional<std::string> Problem() const;

 private:
  using Place = std::pair<std::string, std::string>;  // namespace, then name

  std::string group_, cluster_;
  std::map<Place, std::string> machines_;  // the cluster of each Machine
  std::map<Place, std::size_t> clusters_;  // the number of Machines of each cluster
};

}  // namespace inventories
