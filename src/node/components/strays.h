// SPDX-License-Identifier: Apache-2.0
// Second Pods of a control plane's components. The kubelet runs every file in its directory of
// manifests except those whose name begins with a dot. A copy such as etcd.yaml.backup is therefore
// a Pod.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"
#include "components/table.h"
#include "host/files.h"

namespace components {

// A file next to a component's manifest that the kubelet runs as a second Pod of the component.
struct Stray {
  fs::path path;
  Component component = Component::kEtcd;
  bool operator==(const Stray&) const = default;
};

// Returns the additional Pods of control-plane components in the kubelet's manifest directory. A
// Pod belongs to a component if it has the component's name or labels, or if it runs the
// component's program on the host network. An etcd Pod with another data directory is not a second
// Pod of this etcd. Ignores files that are not Pods and Pods of other programs. Throws base::Error,
// with the kind of the file's error, for an unreadable file.
std::vector<Stray> FindStrays(const host::Files& files);

// JudgeStray returns the warning about one file. StrayText returns the whole warning as two
// sentences.
checks::Finding JudgeStray(const Stray& stray);
std::string StrayText(const Stray& stray);

// Throws base::Error(kConflict) with the message of each stray. Reason: while a second Pod of a
// component runs, a replaced Pod of this component does not start again.
void RequireNoStrays(const host::Files& files);

}  // namespace components
