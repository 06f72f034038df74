// SPDX-License-Identifier: Apache-2.0
// The ways to discover a cluster; each ends with somebody to trust.
#pragma once

#include "discovery/discover.h"

namespace discovery {

// ByToken returns cluster-info's cluster, which the token's secret and the pins vouch for.
kube::KubeconfigCluster ByToken(host::Host& host, const Options& options);

// ByFile returns the discovery file: its cluster, user and context only, all data embedded. A file
// without a user has a context all the same. Its cluster's CA may come from cluster-info.
kube::Kubeconfig ByFile(host::Host& host, const Options& options);

}  // namespace discovery
