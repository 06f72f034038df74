// SPDX-License-Identifier: Apache-2.0
// Second Pods of a control plane's components. The kubelet runs every file in its directory of
// manifests whose name does not begin with a dot, so a copy such as etcd.yaml.backup is a Pod.
#pragma once

#include <string>
#include <vector>

#include "components/table.h"
#include "host/files.h"

namespace components {

// Stray is a file beside a component's manifest that the kubelet runs as a second Pod of it.
struct Stray {
  fs::path path;
  Component component = Component::kEtcd;
  bool operator==(const Stray&) const = default;
};

// FindStrays reads the kubelet's directory of manifests. A Pod is of a component when it has the
// component's name or labels, or when it runs the component's program on the host's network; an
// etcd with a data directory of its own is another etcd. Files that are not Pods and Pods of other
// programs do not count. Throws base::Error for a file that cannot be read.
std::vector<Stray> FindStrays(const host::Files& files);

// StrayText says what is wrong with one file and what to do, for the user.
std::string StrayText(const Stray& stray);

// RequireNoStrays throws base::Error(kConflict) with the text of each stray: a Pod that is replaced
// beside a second one of its component does not come back.
void RequireNoStrays(const host::Files& files);

}  // namespace components
