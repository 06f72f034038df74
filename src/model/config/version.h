// The version of this program and what follows from it (reference: config-api.md §6,
// kubelet.md §8, Kubernetes' version skew policy).
#pragma once

#include <string_view>

#include "base/version.h"

namespace config {

inline constexpr std::string_view kKubeadmVersion = "v1.36.3";

// What `config print init-defaults` names, so that its output does not change with every patch.
inline constexpr std::string_view kPrintedKubernetesVersion = "1.36.0";

inline constexpr std::string_view kMinimumControlPlaneVersion = "v1.35.0";
inline constexpr std::string_view kMinimumKubeletVersion = "v1.33.0";
inline constexpr std::string_view kMinimumExternalEtcdVersion = "3.5.24-0";

inline constexpr std::string_view kDefaultKubernetesVersion = "stable-1";

// KubeadmVersion is kKubeadmVersion, parsed.
inline base::Version KubeadmVersion() { return base::Version::Parse(kKubeadmVersion).value(); }

}  // namespace config
