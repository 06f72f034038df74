// SPDX-License-Identifier: Apache-2.0
// The control plane's present manifests, and the manifests that an upgrade would write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "static_pods/static_pod.h"

namespace upgrade {

// Throws base::Error, naming the file, unless all three manifests of the control plane exist and
// are regular files. kNotFound: a manifest is missing. kInvalid: a manifest is a dangling link, or
// is not a regular file.
void RequireManifests(const host::Files& files);

// The manifests that an upgrade to the configuration's version would write, without the user's
// patches. Users for rootless Pods are only planned, not created.
struct NewManifests {
  struct Manifest {
    components::Component component;
    std::string text;
  };
  std::vector<Manifest> manifests;  // etcd's first, if the cluster has a local etcd
  // The reason why etcd's manifest is left out although the cluster's configuration has etcd on
  // this node.
  std::optional<std::string> etcd_left_out;
};

// Renders the manifests of the configuration's version. Throws base::Error(kInvalid) if the tag of
// the wanted image of etcd is not a version.
NewManifests FindNewManifests(const config::Init& config, const host::Host& host);

}  // namespace upgrade
