// SPDX-License-Identifier: Apache-2.0
// The cluster connection of an upgrade's dry run.
#pragma once

#include <memory>
#include <string>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"

namespace upgrade {

// Answers reads by the cluster of the kubeconfig file and only reports writes to `log`. Simulates a
// cluster only if the file does not exist: objects that a real cluster lacks stay missing. Throws
// base::Error(kUnavailable) naming the file if its cluster does not answer.
std::shared_ptr<kube::Transport> ConnectDryRun(const host::Host& host,
                                               const host::fs::path& kubeconfig,
                                               const base::ShowLine& log);

}  // namespace upgrade
