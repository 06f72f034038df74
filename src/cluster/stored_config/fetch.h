// SPDX-License-Identifier: Apache-2.0
// Reads the stored configuration of a cluster (reference: phases.md §1.1, §2). Joins, upgrades,
// renewals and resets use it.
#pragma once

#include "config/load.h"
#include "kube/client.h"

namespace stored_config {

// Selects whether the configurations of the kubelet and kube-proxy are read, too.
enum class ComponentConfigs { kFetch, kOmit };

// Reads the ConfigMaps kubeadm-config, kubelet-config and kube-proxy. If kube-proxy is missing or
// may not be read, only logs a warning, because users may omit it. Throws the errors of
// kube::Client, naming the ConfigMap. Throws base::Error(kInvalid) for a ConfigMap without its key.
config::StoredConfig FetchStoredConfig(kube::Client& client,
                                       ComponentConfigs components = ComponentConfigs::kFetch);

// Returns the cluster's whole configuration for a node with the API endpoint `endpoint`. Uses
// `endpoint` unchanged, and does not search for the container runtime's socket. Throws the errors
// of FetchStoredConfig and config::LoadStored.
config::Init LoadClusterConfig(kube::Client& client, const config::ApiEndpoint& endpoint,
                               const config::Facts& facts);

}  // namespace stored_config
