// SPDX-License-Identifier: Apache-2.0
// The images of a release (reference: kubelet.md §8).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace config {

inline constexpr std::string_view kDefaultImageRepository = "registry.k8s.io";

// ComponentImage returns the image of kube-apiserver, kube-controller-manager, kube-scheduler or
// kube-proxy.
std::string ComponentImage(const ClusterConfiguration& cluster, const std::string& component);
// Returns the tag of EtcdImage: the configured tag, or the tag of the release.
std::string EtcdTag(const ClusterConfiguration& cluster);
std::string EtcdImage(const ClusterConfiguration& cluster);
std::string CoreDnsImage(const ClusterConfiguration& cluster);
// Returns the CoreDNS version to deploy, "1.14.6": dns.imageTag without its "v" if the tag is set,
// otherwise the version of the cluster's release.
std::string CoreDnsVersion(const ClusterConfiguration& cluster);
std::string PauseImage(const ClusterConfiguration& cluster);

// Lists all images in upstream's order. Leaves out the images of disabled addons and, with an
// external etcd, the image of etcd.
std::vector<std::string> RequiredImages(const ClusterConfiguration& cluster);

}  // namespace config
