// Which images a release runs (reference: kubelet.md §8).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace config {

inline constexpr std::string_view kDefaultImageRepository = "registry.k8s.io";
inline constexpr std::string_view kPauseVersion = "3.10.2";
inline constexpr std::string_view kCoreDnsVersion = "v1.14.2";

// ComponentImage is the image of kube-apiserver, kube-controller-manager, kube-scheduler or
// kube-proxy.
std::string ComponentImage(const ClusterConfiguration& cluster, const std::string& component);
std::string EtcdImage(const ClusterConfiguration& cluster);
std::string CoreDnsImage(const ClusterConfiguration& cluster);
std::string PauseImage(const ClusterConfiguration& cluster);

// RequiredImages lists all of them in upstream's order; addons that are disabled and etcd that is
// external need none.
std::vector<std::string> RequiredImages(const ClusterConfiguration& cluster);

}  // namespace config
