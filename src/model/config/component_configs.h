// SPDX-License-Identifier: Apache-2.0
// The configurations of kubelet and kube-proxy that kubeadm distributes (reference: kubelet.md §3,
// §6). They are raw values; kubeadm sets a few fields and warns if the user has chosen other
// values.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "config/types.h"
#include "json/fwd.h"

namespace config {

// Group, version and kind of the configurations of the kubelet and of kube-proxy.
inline constexpr std::string_view kKubeletKind = "KubeletConfiguration";
inline constexpr std::string_view kKubeletApiVersion = "kubelet.config.k8s.io/v1beta1";
inline constexpr std::string_view kKubeProxyKind = "KubeProxyConfiguration";
inline constexpr std::string_view kKubeProxyApiVersion = "kubeproxy.config.k8s.io/v1alpha1";

// Returns the user's configuration (null without one), completed with kubeadm's values. The result
// has the form that Kubernetes marshals: apiVersion, kind, and the zero values that are always
// written. Warns of values that differ from the recommended ones. Drops unknown fields silently,
// because the caller has already reported them.
json::Value KubeletWithDefaults(const json::Value& user, const ClusterConfiguration& cluster);

// Like KubeletWithDefaults, but for kube-proxy. `advertise_address` decides whether the bind
// address is 0.0.0.0 or ::; an unknown address ("", while joining) counts as IPv6. The cluster's
// release decides the default mode.
json::Value KubeProxyWithDefaults(const json::Value& user, const ClusterConfiguration& cluster,
                                  const std::string& advertise_address);

// Completes cluster.kubelet and cluster.kube_proxy with the two functions above.
void SetComponentDefaults(ClusterConfiguration& cluster, const std::string& advertise_address);

}  // namespace config
