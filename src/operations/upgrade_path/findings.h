// SPDX-License-Identifier: Apache-2.0
// Settings and objects that a path's hops would break.
#pragma once

#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// Returns the subject of findings about hops to a minor version: "v1.36".
std::string HopName(int minor);

// Runs the checks before a path. Pure; the findings are in the order of the hops.
checks::Findings FindBreaks(const PathFacts& facts, const std::vector<Hop>& hops);

// One hop without a kubelet's upgrade. References must outlive the call.
enum class EtcdHop { kUpgraded, kKept };
struct SettingsRequest {
  const host::Host& host;
  const config::Init& config;  // of the cluster, complete
  const base::Version& wanted;
  EtcdHop etcd = EtcdHop::kUpgraded;
  host::fs::path patches = {};  // the directory of this node's patches; "" for none
};

// Runs the checks that need only arguments, feature gates and the environment. Does not query the
// cluster. Returns an empty list for a release that this kubeadm does not support. Throws
// base::Error with the kinds of CollectPatched.
checks::Findings CheckSettings(const SettingsRequest& request);

}  // namespace upgrade_path
