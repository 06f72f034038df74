// SPDX-License-Identifier: Apache-2.0
// Connections to workload clusters.
#pragma once

#include <memory>
#include <string>

#include "kube/client.h"

namespace machine_update {

// Returns a transport to the cluster of a kubeconfig from a Secret, with a timeout of 3 s for each
// request. Throws base::Error(kInvalid) for an unusable kubeconfig, and for one that names files or
// a program of this host.
std::unique_ptr<kube::Transport> ConnectToWorkload(const std::string& kubeconfig);

}  // namespace machine_update
