// SPDX-License-Identifier: Apache-2.0
// The kubeconfig with which a kubelet requests its first certificate.
#pragma once

#include <optional>
#include <string>

#include "kube/kubeconfig.h"

namespace kubelet {

// Returns the bootstrap kubeconfig of a joining machine: the discovered kubeconfig, with its
// cluster renamed to `cluster_name`. `own_server` is the URL of the node's own API server, which
// the kubelet of a control-plane node uses; std::nullopt keeps the discovered server. Throws
// std::out_of_range without a current context.
kube::Kubeconfig BootstrapKubeconfig(kube::Kubeconfig way, const std::string& cluster_name,
                                     const std::optional<std::string>& own_server);

}  // namespace kubelet
