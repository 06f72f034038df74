// SPDX-License-Identifier: Apache-2.0
// Settings that exist only in the user's patches, and not in the cluster's objects.
#pragma once

#include "config/types.h"
#include "host/host.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// The inputs of CollectPatched. References must outlive the call.
struct PatchedRequest {
  const host::Host& host;
  const config::Init& config;       // of the cluster, with defaults
  const host::fs::path& directory;  // of the patches; "" for none
  const base::Version& wanted;      // the version for which Pods are rendered
};

// Adds the settings from the patches: arguments, feature gates and GODEBUG of the API server,
// controller manager and scheduler; GODEBUG of kube-proxy and CoreDNS; and feature gates of the
// kubelet. Does not query the cluster. Throws the errors of node_input::ReadPatches and
// ApplyPatches.
void CollectPatched(const PatchedRequest& request, PathFacts& facts);

}  // namespace upgrade_path
