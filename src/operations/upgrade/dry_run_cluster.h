// SPDX-License-Identifier: Apache-2.0
// The cluster that a dry run of an upgrade talks to.
#pragma once

#include <memory>
#include <string>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"

namespace upgrade {

// ConnectDryRun answers reads by the cluster of the kubeconfig file and only reports writes to
// `log`. A cluster is simulated only where there is no such file: what a real one lacks stays
// missing. Throws base::Error naming the file when its cluster does not answer.
std::shared_ptr<kube::Transport> ConnectDryRun(const host::Host& host,
                                               const host::fs::path& kubeconfig,
                                               const base::ShowLine& log);

}  // namespace upgrade
