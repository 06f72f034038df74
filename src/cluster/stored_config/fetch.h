// SPDX-License-Identifier: Apache-2.0
// Reading the configuration that a cluster keeps of itself, for a join, an upgrade, a renewal or a
// reset (reference: phases.md §1.1, §2).
#pragma once

#include "config/load.h"
#include "kube/client.h"

namespace stored_config {

// Whether the configurations of kubelet and kube-proxy are read beside the cluster's.
enum class ComponentConfigs { kFetch, kOmit };

// FetchStoredConfig reads ConfigMaps kubeadm-config and kubelet-config, which must be there, and
// kube-proxy, which a user may have left out or closed: then a warning is logged. Throws
// base::Error with the API's kind, naming the ConfigMap and, if it is that, the missing key.
config::StoredConfig FetchStoredConfig(kube::Client& client,
                                       ComponentConfigs components = ComponentConfigs::kFetch);

// LoadClusterConfig is the whole configuration of the cluster as a node with that endpoint sees it:
// the endpoint stays as it is, and no runtime's socket is looked for. Throws like FetchStoredConfig
// and config::LoadStored.
config::Init LoadClusterConfig(kube::Client& client, const config::ApiEndpoint& endpoint,
                               const config::Facts& facts);

}  // namespace stored_config
