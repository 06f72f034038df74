// SPDX-License-Identifier: Apache-2.0
// Reading the stored configuration of a cluster, for a join, an upgrade, a renewal or a reset
// (reference: phases.md §1.1, §2).
#pragma once

#include "config/load.h"
#include "kube/client.h"

namespace stored_config {

// Selects whether the configurations of kubelet and kube-proxy are read too.
enum class ComponentConfigs { kFetch, kOmit };

// Reads ConfigMaps kubeadm-config and kubelet-config, which must exist, and kube-proxy, which a
// user may have omitted or made unreadable: then a warning is logged. Throws base::Error with the
// API's kind, naming the ConfigMap and a missing key.
config::StoredConfig FetchStoredConfig(kube::Client& client,
                                       ComponentConfigs components = ComponentConfigs::kFetch);

// Returns the whole configuration of the cluster for a node with that endpoint: the endpoint stays
// as it is, and no runtime's socket is searched. Throws like FetchStoredConfig and
// config::LoadStored.
config::Init LoadClusterConfig(kube::Client& client, const config::ApiEndpoint& endpoint,
                               const config::Facts& facts);

}  // namespace stored_config
