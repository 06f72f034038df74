// SPDX-License-Identifier: Apache-2.0
// The two ways to discover a cluster. Both return a cluster whose identity is verified.
#pragma once

#include "discovery/discover.h"

namespace discovery {

// Returns cluster-info's cluster, verified with the token's secret and the pins.
kube::KubeconfigCluster ByToken(host::Host& host, const Options& options);

// Returns the discovery file, reduced to its cluster, user and context, with all data embedded. The
// result has a context even if the file has no user. The CA of the cluster may come from
// cluster-info.
kube::Kubeconfig ByFile(host::Host& host, const Options& options);

}  // namespace discovery
