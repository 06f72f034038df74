// SPDX-License-Identifier: Apache-2.0
// The containers of a control plane's static Pods on this node.
#pragma once

#include <span>
#include <vector>

#include "components/table.h"
#include "cri/runtime.h"

namespace components {

// ContainersOf are the containers of these components' static Pods, in all states. Others that bear
// such a name are none of them: a hosted control plane's, an etcd that somebody runs in a Pod. What
// tells a static Pod is the annotation kubernetes.io/config.source, which the kubelet gives each of
// its Pods. Throws what the runtime throws.
std::vector<cri::Container> ContainersOf(std::span<const Component> which, cri::Runtime& runtime);
std::vector<cri::Container> ContainersOf(Component component, cri::Runtime& runtime);

}  // namespace components
