// SPDX-License-Identifier: Apache-2.0
// Which images a release runs (reference: kubelet.md §8).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace config {

inline constexpr std::string_view kDefaultImageRepository = "registry.k8s.io";

// ComponentImage is the image of kube-apiserver, kube-controller-manager, kube-scheduler or
// kube-proxy.
std::string ComponentImage(const ClusterConfiguration& cluster, const std::string& component);
// EtcdTag is the tag of EtcdImage: the one that was chosen, or the release's.
std::string EtcdTag(const ClusterConfiguration& cluster);
std::string EtcdImage(const ClusterConfiguration& cluster);
std::string CoreDnsImage(const ClusterConfiguration& cluster);
// CoreDnsVersion is the CoreDNS of the cluster's release, "1.14.6", whatever image was chosen.
std::string CoreDnsVersion(const ClusterConfiguration& cluster);
std::string PauseImage(const ClusterConfiguration& cluster);

// RequiredImages lists all of them in upstream's order; addons that are disabled and etcd that is
// external need none.
std::vector<std::string> RequiredImages(const ClusterConfiguration& cluster);

}  // namespace config
