// SPDX-License-Identifier: Apache-2.0
// The static Pods that an upgrade is to bring about on this node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "static_pods/restart.h"

namespace upgrade {

// kSameVersion: by the configuration, but with the image's tag as it is here.
enum class EtcdPod { kLeave, kSameVersion, kUpgrade };

// WantedPods, before patches and users of their own.
struct WantedPods {
  std::vector<static_pods::Replacement> pods;  // etcd's first
  // Why etcd, which was to be upgraded, stays as it is: "3.6.5-0 is older than 3.6.6-0".
  std::optional<std::string> etcd_stays;
};

// FindWantedPods renders them. etcd stays when what runs here is newer, or when it is an external
// one. Throws base::Error: kNotFound when etcd's manifest is missing, kInvalid when the tag of the
// wanted image is not a version.
WantedPods FindWantedPods(const host::Host& host, const config::Init& config, EtcdPod etcd);

}  // namespace upgrade
