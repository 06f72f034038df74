// SPDX-License-Identifier: Apache-2.0
// Whom this node's kubelet talks to.
#pragma once

#include <optional>

#include "config/types.h"
#include "host/files.h"
#include "kube/kubeconfig.h"

namespace upgrade {

// OwnServerConf is /etc/kubernetes/kubelet.conf as it should be on a node of the control plane when
// it leads to the shared endpoint: to this node's own API server, which is upgraded first. Nothing
// when it leads elsewhere, there is none, or the two are the same. Throws base::Error for a file
// that is not a kubeconfig.
std::optional<kube::Kubeconfig> OwnServerConf(const host::Files& files, const config::Init& config);

}  // namespace upgrade
