// SPDX-License-Identifier: Apache-2.0
// A control plane that does not run as root: the changes in the Pods, and the owners of files
// (KEP-2568; reference: manifests.md §10).
#pragma once

#include <filesystem>
#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "json/fwd.h"
#include "static_pods/accounts.h"
#include "static_pods/static_pod.h"

namespace static_pods {

namespace fs = std::filesystem;

// Sets the Pod's users, groups and capabilities.
void RunAs(json::Value& pod, components::Component component, const static_pods::RootlessIds& ids);

// The owner and mode of a file. A directory's content is not changed.
struct Ownership {
  fs::path path;
  unsigned uid = 0;
  unsigned gid = 0;
  unsigned mode = 0;  // 0: unchanged
  bool operator==(const Ownership&) const = default;
};

// Returns the files that the component must be able to read. With `external_ca`, the CA key is not
// among them.
std::vector<Ownership> OwnershipFor(components::Component component,
                                    const config::ClusterConfiguration& cluster,
                                    const static_pods::RootlessIds& ids, const HostFacts& facts);

// Sets owners and modes. Throws base::Error(kNotFound) for a missing file.
void ApplyOwnership(host::Files& files, const std::vector<Ownership>& list);

// Returns whether the feature gate RootlessControlPlane is on.
bool IsRootless(const config::ClusterConfiguration& cluster);

}  // namespace static_pods
