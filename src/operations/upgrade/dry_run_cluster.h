// SPDX-License-Identifier: Apache-2.0
// The cluster connection of an upgrade's dry run.
#pragma once

#include <memory>
#include <string>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"

namespace upgrade {

// Connects a dry run to the cluster of the kubeconfig file. Reads are sent to this cluster; writes
// are only reported to `log`. Objects that the cluster lacks are not simulated. If the file does
// not exist, simulates a cluster instead. Throws base::Error(kUnavailable), naming the file, if the
// cluster does not answer.
std::shared_ptr<kube::Transport> ConnectDryRun(const host::Host& host,
                                               const host::fs::path& kubeconfig,
                                               const base::ShowLine& log);

}  // namespace upgrade
