// SPDX-License-Identifier: Apache-2.0
// The version of this program and its consequences (reference: config-api.md §6).
#pragma once

#include <string_view>

#include "base/version.h"
#include "releases/table.h"

namespace config {

// The newest known release that is not a pre-release: "v1.37.2".
inline constexpr std::string_view kKubeadmVersion = releases::kProgram.version;

inline constexpr std::string_view kMinimumExternalEtcdVersion = "3.5.24-0";

inline constexpr std::string_view kDefaultKubernetesVersion = "stable-1";

// Returns kKubeadmVersion as a Version.
inline base::Version KubeadmVersion() { return base::Version::Parse(kKubeadmVersion).value(); }

}  // namespace config
