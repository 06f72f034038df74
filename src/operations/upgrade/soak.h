// SPDX-License-Identifier: Apache-2.0
// Soaking. After `upgrade apply --soak` the new version's control plane behaves as the previous
// minor version until `upgrade commit`. It stores objects that the previous version can read, so a
// rollback loses nothing. The argument emulated-version of the three components does this
// (KEP-4330). The cluster's configuration has the argument, so every control-plane node follows.
#pragma once

#include <optional>

#include "base/version.h"
#include "config/types.h"

namespace upgrade {

inline constexpr const char* kEmulatedVersion = "emulated-version";  // the argument

// Returns the minor version as which the API server behaves, 1.36.0; std::nullopt unless that is
// older than the cluster's version.
std::optional<base::Version> EmulatedVersion(const config::ClusterConfiguration& cluster);

// Lets a configuration of the new version behave as `before`, the version of the cluster. Does
// nothing to a configuration that already does so. Throws base::Error(kUsage) unless the new
// version is the next minor version, and its control plane can soak.
void BeginSoak(config::ClusterConfiguration& cluster, const base::Version& before);

// Removes the argument if the control plane soaks.
void EndSoak(config::ClusterConfiguration& cluster);

}  // namespace upgrade
