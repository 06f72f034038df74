// SPDX-License-Identifier: Apache-2.0
// Findings before a path: settings and objects with which a hop would fail or lose data.
#pragma once

#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// Returns the subject of findings about hops to a minor version: "v1.36".
std::string HopName(int minor);

// Returns the findings about all hops, in the order of the hops. Pure.
checks::Findings FindBreaks(const PathFacts& facts, const std::vector<Hop>& hops);

// Selects whether the hop upgrades etcd.
enum class EtcdHop { kUpgraded, kKept };

// The inputs of CheckSettings: one hop, without an upgrade of the kubelet. References must outlive
// the call.
struct SettingsRequest {
  const host::Host& host;
  const config::Init& config;  // of the cluster, complete
  const base::Version& wanted;
  EtcdHop etcd = EtcdHop::kUpgraded;
  host::fs::path patches = {};  // the directory of this node's patches; "" for none
};

// Returns the findings about arguments, feature gates and the environment. Does not query the
// cluster. Returns an empty list for a release that this kubeadm does not support. Throws the
// errors of CollectPatched.
checks::Findings CheckSettings(const SettingsRequest& request);

}  // namespace upgrade_path
