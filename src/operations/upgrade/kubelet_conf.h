// SPDX-License-Identifier: Apache-2.0
// The API server of this node's kubelet.
#pragma once

#include <optional>

#include "config/types.h"
#include "host/files.h"
#include "kube/kubeconfig.h"

namespace upgrade {

// Returns the wanted /etc/kubernetes/kubelet.conf of a control-plane node whose file has the shared
// endpoint as server. The wanted file has this node's own API server instead, which is upgraded
// before the kubelet. Returns std::nullopt if the file does not exist or has another server, or if
// the shared endpoint is this node's own API server. Throws base::Error(kInvalid) for a file that
// is not a kubeconfig.
std::optional<kube::Kubeconfig> OwnServerConf(const host::Files& files, const config::Init& config);

}  // namespace upgrade
