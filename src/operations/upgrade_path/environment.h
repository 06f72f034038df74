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
#include "kubelet/unit.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// Parses "A=1,B=0", the value of GODEBUG (https://go.dev/doc/godebug).
std::vector<Setting> GodebugOf(const std::string& where, std::string_view value);

// Returns the settings in the environment of a Pod's container.
std::vector<Setting> GodebugOfContainer(const json::Value& container, const std::string& where);

// Fills in `control_plane_godebug` and `kubelet_godebug`. `unit` is the systemd unit of this node's
// kubelet.
void CollectEnvironment(const config::ClusterConfiguration& cluster, const kubelet::Unit& unit,
                        PathFacts& facts);

// Fills in `id_ranges` with the ranges that `getsubids kubelet` prints: the lines with the name or
// the user ID of user kubelet. Adds no range if that user does not exist.
void CollectIdRanges(const host::Files& files, PathFacts& facts);

}  // namespace upgrade_path
