// SPDX-License-Identifier: Apache-2.0
// The static Pods of the control plane that a configuration describes for this node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "static_pods/restart.h"

namespace control_plane {

// Selects etcd's Pod. kSameVersion applies the configuration, but keeps the present image's tag.
enum class EtcdPod { kLeave, kSameVersion, kUpgrade };

// The wanted Pods, before the user's patches and rootless users are applied.
struct WantedPods {
  std::vector<static_pods::Replacement> pods;  // etcd's first
  // The reason why etcd is not upgraded: "3.6.5-0 is older than 3.6.6-0".
  std::optional<std::string> etcd_stays;
};

// Returns the wanted Pods. If the running etcd is newer, or etcd is external, etcd's Pod stays
// unchanged. Throws base::Error: kNotFound if etcd's manifest is missing, kInvalid if the tag of
// the wanted image is not a version.
WantedPods FindWantedPods(const host::Host& host, const config::Init& config, EtcdPod etcd);

}  // namespace control_plane
