// SPDX-License-Identifier: Apache-2.0
// The environment of this node's programs: the variable GODEBUG, and the ranges of IDs for the
// kubelet's user namespaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "json/fwd.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// Parses "A=1,B=0", the value of GODEBUG (https://go.dev/doc/godebug).
std::vector<Setting> GodebugOf(const std::string& where, std::string_view value);

// Returns the settings in the environment of a Pod's container.
std::vector<Setting> GodebugOfContainer(const json::Value& container, const std::string& where);

// Parses the GODEBUG settings in a file of the kubelet's unit: GODEBUG=… in an environment file,
// Environment="GODEBUG=…" in a drop-in. Skips comments.
std::vector<Setting> GodebugOfUnit(const std::string& where, std::string_view text);

// Fills in `control_plane_godebug`, `kubelet_godebug` and `id_ranges`. Does not query the cluster.
void CollectEnvironment(const config::ClusterConfiguration& cluster, const host::Files& files,
                        PathFacts& facts);

}  // namespace upgrade_path
