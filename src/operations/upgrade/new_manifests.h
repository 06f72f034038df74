// SPDX-License-Identifier: Apache-2.0
// The control plane's manifests as they are and as an upgrade would make them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "static_pods/static_pod.h"

namespace upgrade {

// RequireManifests throws base::Error, naming the file, unless all three of the control plane are
// here: kNotFound for one that is missing, kInvalid for one that is not a regular file and leads to
// none.
void RequireManifests(const host::Files& files);

// NewManifests are the texts that an upgrade to the configuration's version would write, but for
// the user's patches. Users of their own are planned, not made.
struct NewManifests {
  struct Manifest {
    components::Component component;
    std::string text;
  };
  std::vector<Manifest> manifests;  // etcd's first, where the cluster has a local etcd
  // Why etcd's is not among them although the cluster's configuration has etcd on this node.
  std::optional<std::string> etcd_left_out;
};

// FindNewManifests renders them. Throws base::Error(kInvalid) when the tag of the wanted image of
// etcd is not a version.
NewManifests FindNewManifests(const config::Init& config, const host::Host& host);

}  // namespace upgrade
