// SPDX-License-Identifier: Apache-2.0
// The table of releases. A new minor version is a row at its end (docs/adding-a-release.md).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "releases/releases.h"

namespace releases {

inline constexpr std::string_view kRootlessControlPlane = "RootlessControlPlane";
inline constexpr std::string_view kWaitForAllComponents = "WaitForAllControlPlaneComponents";

inline constexpr FeatureGate kEcdsa{kPublicKeysEcdsa, false, GateStage::kDeprecated};
inline constexpr FeatureGate kRootless{kRootlessControlPlane, false, GateStage::kAlpha};

inline constexpr std::array kGates34{
    FeatureGate{kControlPlaneKubeletLocalMode, true, GateStage::kBeta},
    FeatureGate{kNodeLocalCriSocket, true, GateStage::kBeta},
    kEcdsa,
    kRootless,
    FeatureGate{kWaitForAllComponents, true, GateStage::kGeneral},
};
inline constexpr std::array kGates35{
    FeatureGate{kControlPlaneKubeletLocalMode, true, GateStage::kGeneral},
    FeatureGate{kNodeLocalCriSocket, true, GateStage::kBeta},
    kEcdsa,
    kRootless,
};
inline constexpr std::array kGates36{
    FeatureGate{kNodeLocalCriSocket, true, GateStage::kGeneral},
    kEcdsa,
    kRootless,
};
inline constexpr std::array kGates37{kRootless};

inline constexpr std::array kReleases{
    Release{.minor = 34,
            .version = "v1.34.4",
            .etcd = "3.6.5-0",
            .core_dns = "v1.12.1",
            .pause = "3.10.1",
            .gates = kGates34,
            .kube_proxy_mode = "",
            .flex_volumes = true,
            .etcd_before_3_6 = true,
            .pod_infra_flag = true,
            .socket_annotation = SocketAnnotation::kByGate,
            .http_endpoints = false,
            .needs_runtime_config = "",
            .refuses_cgroup_v1 = false,
            .evicts_from_tainted_devices = false,
            .kubelet_client_group = "kubeadm:cluster-admins",
            .ecdsa_enciphers = true,
            .ml_dsa = false,
            .wants_getent = false,
            .soaks = false},
    Release{.minor = 35,
            .version = "v1.35.4",
            .etcd = "3.6.6-0",
            .core_dns = "v1.13.1",
            .pause = "3.10.1",
            .gates = kGates35,
            .kube_proxy_mode = "",
            .flex_volumes = true,
            .etcd_before_3_6 = true,
            .pod_infra_flag = false,
            .socket_annotation = SocketAnnotation::kByGate,
            .http_endpoints = true,
            .needs_runtime_config = "1.36",
            .refuses_cgroup_v1 = true,
            .evicts_from_tainted_devices = false,
            .kubelet_client_group = "kubeadm:cluster-admins",
            .ecdsa_enciphers = true,
            .ml_dsa = false,
            .wants_getent = false,
            .soaks = false},
    Release{.minor = 36,
            .version = "v1.36.3",
            .etcd = "3.6.8-0",
            .core_dns = "v1.14.2",
            .pause = "3.10.2",
            .gates = kGates36,
            .kube_proxy_mode = "",
            .flex_volumes = false,
            .etcd_before_3_6 = false,
            .pod_infra_flag = false,
            .socket_annotation = SocketAnnotation::kRemoved,
            .http_endpoints = true,
            .needs_runtime_config = "1.37",
            .refuses_cgroup_v1 = true,
            .evicts_from_tainted_devices = true,
            .kubelet_client_group = "",
            .ecdsa_enciphers = true,
            .ml_dsa = false,
            .wants_getent = false,
            .soaks = false},
    Release{.minor = 37,
            .version = "v1.37.2",
            .etcd = "3.7.0-0",
            .core_dns = "v1.14.6",
            .pause = "3.10.2",
            .gates = kGates37,
            .kube_proxy_mode = "iptables",
            .flex_volumes = false,
            .etcd_before_3_6 = false,
            .pod_infra_flag = false,
            .socket_annotation = SocketAnnotation::kUnused,
            .http_endpoints = true,
            .needs_runtime_config = "1.38",
            .refuses_cgroup_v1 = true,
            .evicts_from_tainted_devices = true,
            .kubelet_client_group = "",
            .ecdsa_enciphers = true,
            .ml_dsa = false,
            .wants_getent = false,
            .soaks = true},
    Release{.minor = 38,
            .version = "v1.38.0-beta.0",
            .etcd = "3.7.1-0",
            .core_dns = "v1.15.0",
            .pause = "3.10.2",
            .gates = kGates37,
            .kube_proxy_mode = "iptables",
            .flex_volumes = false,
            .etcd_before_3_6 = false,
            .pod_infra_flag = false,
            .socket_annotation = SocketAnnotation::kUnused,
            .http_endpoints = true,
            .needs_runtime_config = "1.38",
            .refuses_cgroup_v1 = true,
            .evicts_from_tainted_devices = true,
            .kubelet_client_group = "",
            .ecdsa_enciphers = false,
            .ml_dsa = true,
            .wants_getent = true,
            .soaks = true},
};

// Returns whether a row's version is a release: without a pre-release part.
constexpr bool IsPublished(const Release& release) { return !release.version.contains('-'); }

// The row of the release that this program reports as its own (`version`, the labels): the newest
// released one. A row of a pre-release may follow it, and is used only for clusters of that minor
// version.
inline constexpr const Release& kProgram =
    *std::ranges::find_last_if(kReleases, IsPublished).begin();

}  // namespace releases
