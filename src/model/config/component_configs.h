// SPDX-License-Identifier: Apache-2.0
// The configurations of kubelet and kube-proxy that kubeadm hands out (reference: kubelet.md §3,
// §6). They are raw values; kubeadm sets a few fields and warns where the user chose otherwise.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "config/types.h"
#include "json/fwd.h"

namespace config {

// How the configurations of the kubelet and of kube-proxy name themselves.
inline constexpr std::string_view kKubeletKind = "KubeletConfiguration";
inline constexpr std::string_view kKubeletApiVersion = "kubelet.config.k8s.io/v1beta1";
inline constexpr std::string_view kKubeProxyKind = "KubeProxyConfiguration";
inline constexpr std::string_view kKubeProxyApiVersion = "kubeproxy.config.k8s.io/v1alpha1";

// KubeletWithDefaults is the user's configuration (null for none) with kubeadm's values where the
// user has none, in the form that Kubernetes marshals: apiVersion, kind, and the zero values that
// are always written. Warns of values that differ from the recommended ones. Unknown fields must
// have been dealt with: they are dropped.
json::Value KubeletWithDefaults(const json::Value& user, const ClusterConfiguration& cluster);

// KubeProxyWithDefaults likewise. `advertise_address` decides between 0.0.0.0 and ::; "" (unknown,
// while joining) counts as IPv6. A mode that is not set is that of the cluster's release.
json::Value KubeProxyWithDefaults(const json::Value& user, const ClusterConfiguration& cluster,
                                  const std::string& advertise_address);

// SetComponentDefaults applies both to what cluster.kubelet and cluster.kube_proxy hold.
void SetComponentDefaults(ClusterConfiguration& cluster, const std::string& advertise_address);

}  // namespace config
