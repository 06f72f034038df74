// SPDX-License-Identifier: Apache-2.0
// Soaking. After `upgrade apply --soak` the new version's control plane behaves as the previous
// minor version until `upgrade commit`. It stores objects that the previous version can read, so a
// rollback loses nothing. The argument emulated-version of the three components does this
// (KEP-4330). The cluster's configuration has the argument, so every control-plane node follows.
#pragma once

#include <optional>

#include "base/version.h"
#include "config/types.h"

namespace control_plane {

inline constexpr const char* kEmulatedVersion = "emulated-version";  // an argument

// Returns the minor version that the API server emulates, 1.36.0. Returns std::nullopt unless this
// version is older than the cluster's version.
std::optional<base::Version> EmulatedVersion(const config::ClusterConfiguration& cluster);

// Changes a configuration of the new version so that it emulates `before`, the present version of
// the cluster. Has no effect on a configuration that already does so. Throws base::Error(kUsage)
// unless the new version is the next minor version, and the control plane of the new version
// supports emulation.
void BeginSoak(config::ClusterConfiguration& cluster, const base::Version& before);

// Removes the argument emulated-version if the control plane soaks.
void EndSoak(config::ClusterConfiguration& cluster);

}  // namespace control_plane
