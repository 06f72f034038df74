// SPDX-License-Identifier: Apache-2.0
// The kubeconfig with which a kubelet requests its first certificate.
#pragma once

#include <optional>
#include <string>

#include "kube/kubeconfig.h"

namespace kubelet {

// Returns the discovered kubeconfig of a joining machine, with the cluster under the name
// `cluster_name`. `own_server` is the URL of the node's own API server, which the kubelet of a
// control-plane node uses; std::nullopt: it uses the discovered server. Throws std::out_of_range
// without a current context.
kube::Kubeconfig BootstrapKubeconfig(kube::Kubeconfig way, const std::string& cluster_name,
                                     const std::optional<std::string>& own_server);

}  // namespace kubelet
