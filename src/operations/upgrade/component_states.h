// SPDX-License-Identifier: Apache-2.0
// The component configurations that a cluster stores, as `upgrade plan` shows them (reference:
// upgrade-reset.md §2).
#pragma once

#include <string>
#include <vector>

#include "config/load.h"

namespace upgrade {

// ComponentState is one row.
struct ComponentState {
  std::string group;      // "kubelet.config.k8s.io"
  std::string current;    // "v1beta1"; "" when none is stored
  std::string preferred;  // what this kubeadm reads and writes
  bool manual = false;    // the user wrote it, in a version that this kubeadm does not read
  bool operator==(const ComponentState&) const = default;
};

// ComponentStates is pure; kube-proxy's first.
std::vector<ComponentState> ComponentStates(const config::StoredConfig& stored);

}  // namespace upgrade
