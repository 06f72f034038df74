// SPDX-License-Identifier: Apache-2.0
// What a kubelet asks for its first certificate with.
#pragma once

#include <optional>
#include <string>

#include "kube/kubeconfig.h"

namespace kubelet {

// BootstrapKubeconfig is the way into the cluster that a joining machine has found, with the
// cluster under its own name. `own_server` is the URL of the node's own API server, which the
// kubelet of a control-plane node asks; nothing: it asks where the way leads. Throws
// std::out_of_range for a way without a current context.
kube::Kubeconfig BootstrapKubeconfig(kube::Kubeconfig way, const std::string& cluster_name,
                                     const std::optional<std::string>& own_server);

}  // namespace kubelet
