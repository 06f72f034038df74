// SPDX-License-Identifier: Apache-2.0
#include "inventories/machine_scope.h"

#include <fmt/core.h>

#include "evidence/decode.h"

namespace inventories {
namespace {

using judgement::Machine;

}  // namespace

bool MachineScope::Put(const Machine& machine) {
  if (group_ != evidence::kClusterApiGroup) {
    return true;
  }
  Remove(machine.name_space, machine.name);
  if (!cluster_.empty() && machine.cluster != cluster_) {
    return false;
  }
  machines_[{machine.name_space, machine.name}] = machine.cluster;
  ++clusters_[{machine.name_space, machine.cluster}];
  return true;
}

void MachineScope::Remove(const std::string& name_space, const std::string& name) {
  const auto found = machines_.find({name_space, name});
  if (found == machines_.end()) {
    return;
  }
  const auto cluster = clusters_.find({name_space, found->second});
  if (--cluster->second == 0) {
    clusters_.erase(cluster);
  }
  machines_.erase(found);
}

std::optional<std::string> MachineScope::Problem() const {
  if (clusters_.size() < 2) {
    return {};
  }
  const auto& [first, unused] = *clusters_.begin();
  const auto& [last, unused_too] = *clusters_.rbegin();
  return fmt::format(
      "there are Machines of {} clusters ({}/{}, {}/{}): say with --machine-cluster and "
      "--machine-namespace which of them is this one",
      clusters_.size(), first.first, first.second, last.first, last.second);
}

}  // namespace inventories
