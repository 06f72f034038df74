// SPDX-License-Identifier: Apache-2.0
// The two ways to discover a cluster. Both return a cluster whose identity is verified.
#pragma once

#include "discovery/discover.h"

namespace discovery {

// Returns the cluster in cluster-info, verified with the token's secret and the pins.
kube::KubeconfigCluster ByToken(host::Host& host, const Options& options);

// Returns the discovery file with only the cluster to join. The files of this cluster and of the
// current user are embedded. Other users and contexts stay unchanged. The result has a current
// context even if the file has none. The CA of the cluster may come from cluster-info.
kube::Kubeconfig ByFile(host::Host& host, const Options& options);

}  // namespace discovery
