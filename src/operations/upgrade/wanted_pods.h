// SPDX-License-Identifier: Apache-2.0
// The static Pods that an upgrade will create on this node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "static_pods/restart.h"

namespace upgrade {

// kSameVersion: by the configuration, but with the present image's tag.
enum class EtcdPod { kLeave, kSameVersion, kUpgrade };

// Pods before patches and rootless users.
struct WantedPods {
  std::vector<static_pods::Replacement> pods;  // etcd's first
  // Why etcd, which was to be upgraded, stays: "3.6.5-0 is older than 3.6.6-0".
  std::optional<std::string> etcd_stays;
};

// Returns the wanted Pods. If the running etcd is newer, or etcd is external, etcd's Pod stays
// unchanged. Throws base::Error: kNotFound if etcd's manifest is missing, kInvalid if the tag of
// the wanted image is not a version.
WantedPods FindWantedPods(const host::Host& host, const config::Init& config, EtcdPod etcd);

}  // namespace upgrade
