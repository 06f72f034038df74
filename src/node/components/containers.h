// SPDX-License-Identifier: Apache-2.0
// The containers of a control plane's static Pods on this node.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "components/table.h"
#include "cri/runtime.h"

namespace components {

// Returns the containers of these components' static Pods, in all states. Ignores containers of the
// same name in other Pods: a hosted control plane, or an etcd of a user. Identifies a static Pod by
// its name (PodName, for any node) and by the annotation kubernetes.io/config.source, which the
// kubelet sets on each of its Pods. Throws the errors of cri::Runtime.
std::vector<cri::Container> ContainersOf(std::span<const Component> which, cri::Runtime& runtime);
std::vector<cri::Container> ContainersOf(Component component, cri::Runtime& runtime);

// Returns the sandboxes of the component's static Pods, which may have no container (any more).
std::vector<cri::Sandbox> SandboxesOf(Component component, cri::Runtime& runtime);

// Stops a container with the grace period `grace`, and removes it from the runtime. The removal
// avoids the kubelet's backoff: if a container ends again within ten minutes, the kubelet delays
// the next start (doubling up to five minutes). Without an old container it starts the next one
// immediately. The logs stay below /var/log/pods. Throws the errors of StopContainer, and
// base::Interrupted.
void EndContainer(const std::string& id, std::chrono::seconds grace, cri::Runtime& runtime);

// Removes the component's containers that ended before a restart. Otherwise the kubelet would count
// the last one for its backoff. Do not call this function during a wait, because a diagnosis needs
// these containers. Throws the errors of listing containers, and base::Interrupted.
void ForgetEnded(Component component, cri::Runtime& runtime);

}  // namespace components
