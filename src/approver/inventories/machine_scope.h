// SPDX-License-Identifier: Apache-2.0
// Which Machines are this cluster's. A management cluster has those of many, and one of another
// cluster must not vouch for a node of this one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "judgement/facts.h"

namespace inventories {

// MachineScope is for the Machines of one group. Those of the Machine API (machine.openshift.io)
// are always of the cluster that they are in. For Cluster API spec.clusterName says of which they
// are; names of clusters are unique in a namespace. Not thread-safe.
class MachineScope {
 public:
  // `cluster` is the spec.clusterName that counts; "" where there is but one cluster.
  MachineScope(std::string group, std::string cluster)
      : group_(std::move(group)), cluster_(std::move(cluster)) {}

  // Put notes a Machine, in place of the previous one of that namespace and name, and tells whether
  // it may count.
  bool Put(const judgement::Machine& machine);
  void Remove(const std::string& name_space, const std::string& name);

  // Problem is why it is not known which Machines are this cluster's: those that may count are of
  // several; then none may vouch. Nothing when it is known.
  std::optional<std::string> Problem() const;

 private:
  using Place = std::pair<std::string, std::string>;  // namespace, then name

  std::string group_, cluster_;
  std::map<Place, std::string> machines_;  // of which cluster
  std::map<Place, std::size_t> clusters_;  // how many Machines each has
};

}  // namespace inventories
