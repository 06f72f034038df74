// SPDX-License-Identifier: Apache-2.0
// What the hops of a way would break.
#pragma once

#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// FindBreaks is pure; in the order of the hops.
std::vector<Finding> FindBreaks(const PathFacts& facts, const std::vector<Hop>& hops);

// CheckSettings returns those findings that follow from arguments and feature gates alone, for one
// hop to `wanted` on which no kubelet follows. `etcd` says whether the hop upgrades etcd. Asks the
// cluster nothing. Returns an empty list for a release that this kubeadm does not know.
enum class EtcdHop { kUpgraded, kKept };
std::vector<Finding> CheckSettings(const config::ClusterConfiguration& cluster,
                                   const host::Files& files, const base::Version& wanted,
                                   EtcdHop etcd);

}  // namespace upgrade_path
