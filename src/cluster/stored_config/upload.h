// SPDX-License-Identifier: Apache-2.0
// The stored configuration, for later joins and upgrades (reference: phases.md §1.1).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"
#include "objects/rbac.h"

namespace stored_config {

inline constexpr std::string_view kKubeadmConfigMap = "kubeadm-config";
inline constexpr std::string_view kClusterConfigurationKey = "ClusterConfiguration";
inline constexpr std::string_view kKubeletConfigMap = "kubelet-config";
inline constexpr std::string_view kKubeletConfigKey = "kubelet";

// Returns the RBAC rules that let nodes and joining nodes read the ConfigMaps kubeadm-config and
// kubelet-config.
std::vector<objects::RbacRow> ReaderRows();

json::Value KubeadmConfigMap(const config::ClusterConfiguration& cluster);
json::Value KubeletConfigMap(const config::ComponentConfig& kubelet);

// UploadKubeadmConfig writes ConfigMap kubeadm-config, keeps its other keys, and applies its rule
// of ReaderRows. UploadKubeletConfig replaces ConfigMap kubelet-config and applies its rule. Both
// throw the errors of kube::Client.
void UploadKubeadmConfig(kube::Client& client, const config::ClusterConfiguration& cluster);
void UploadKubeletConfig(kube::Client& client, const config::ComponentConfig& kubelet);

}  // namespace stored_config
