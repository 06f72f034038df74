// SPDX-License-Identifier: Apache-2.0
// The stored configuration, for later joins and upgrades (reference: phases.md §1.1).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"
#include "rbac/rbac.h"

namespace stored_config {

inline constexpr std::string_view kKubeadmConfigMap = "kubeadm-config";
inline constexpr std::string_view kClusterConfigurationKey = "ClusterConfiguration";
inline constexpr std::string_view kKubeletConfigMap = "kubelet-config";
inline constexpr std::string_view kKubeletConfigKey = "kubelet";

// Let nodes and joining nodes read both ConfigMaps.
std::vector<rbac::RbacRow> ReaderRows();

json::Value KubeadmConfigMap(const config::ClusterConfiguration& cluster);
json::Value KubeletConfigMap(const config::ComponentConfig& kubelet);

// UploadKubeadmConfig writes ConfigMap kubeadm-config, keeping its other keys, and lets nodes and
// joining nodes read it. UploadKubeletConfig does so for kubelet-config, which it replaces.
void UploadKubeadmConfig(kube::Client& client, const config::ClusterConfiguration& cluster);
void UploadKubeletConfig(kube::Client& client, const config::ComponentConfig& kubelet);

}  // namespace stored_config
