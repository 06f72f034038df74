// SPDX-License-Identifier: Apache-2.0
// What `upgrade plan --path` and `upgrade apply --path` ask alike: which way leads to a version.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/client.h"
#include "upgrade_path/kubelet_step.h"
#include "upgrade_path/path.h"

namespace kubeadm {

// PathAnswer is the way and what else was learned.
struct PathAnswer {
  upgrade_path::PathPlan plan;
  std::string node;                                    // this node's name
  std::vector<upgrade_path::KubeletProgram> programs;  // of --node-packages
};

// FindPath asks the cluster and this node. `wanted` is an argument, a configured version, or "" for
// the newest that this kubeadm knows. Throws base::Error.
PathAnswer FindPath(const cli::Parsed& flags, const std::string& wanted, host::Host& host,
                    kube::Client& client);

// ClientOfPath asks again for as long as a control plane that is being replaced may take.
kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host);

}  // namespace kubeadm
