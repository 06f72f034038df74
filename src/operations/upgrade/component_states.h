// SPDX-License-Identifier: Apache-2.0
// The stored component configurations of a cluster, as shown by `upgrade plan` (reference:
// upgrade-reset.md §2).
#pragma once

#include <string>
#include <vector>

#include "config/load.h"

namespace upgrade {

// One row of the table.
struct ComponentState {
  std::string group;      // "kubelet.config.k8s.io"
  std::string current;    // "v1beta1"; "" if none is stored
  std::string preferred;  // the version that this kubeadm reads and writes
  bool manual = false;    // true if the user wrote it in a version that this kubeadm cannot read
  bool operator==(const ComponentState&) const = default;
};

// Returns the rows, kube-proxy's first. Pure.
std::vector<ComponentState> ComponentStates(const config::StoredConfig& stored);

}  // namespace upgrade
