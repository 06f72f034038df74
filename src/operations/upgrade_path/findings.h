// SPDX-License-Identifier: Apache-2.0
// Settings and objects that a path's hops would break.
#pragma once

#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// Returns the subject of findings about hops to a minor version: "v1.36".
std::string HopName(int minor);

// Runs the checks before a path. Pure; the findings are in the order of the hops.
checks::Findings FindBreaks(const PathFacts& facts, const std::vector<Hop>& hops);

// Runs those checks that need arguments and feature gates alone, for one hop to `wanted` without a
// kubelet's upgrade. `etcd` says whether the hop upgrades etcd. Does not query the cluster. Returns
// an empty list for a release that this kubeadm does not know.
enum class EtcdHop { kUpgraded, kKept };
checks::Findings CheckSettings(const config::ClusterConfiguration& cluster,
                               const host::Files& files, const base::Version& wanted, EtcdHop etcd);

}  // namespace upgrade_path
