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

// Returns the containers of these components' static Pods, in all states. Containers of the same
// name in other Pods do not count: a hosted control plane's, an etcd that a user runs in a Pod.
// They are told apart by the Pod's name (PodName, for any node) and the annotation
// kubernetes.io/config.source, which the kubelet sets on each of its Pods. Throws what the runtime
// throws.
std::vector<cri::Container> ContainersOf(std::span<const Component> which, cri::Runtime& runtime);
std::vector<cri::Container> ContainersOf(Component component, cri::Runtime& runtime);

// Returns the sandboxes of the component's static Pods, which may have no container (any more).
std::vector<cri::Sandbox> SandboxesOf(Component component, cri::Runtime& runtime);

// Stops a container with the grace period `grace`, and removes it from the runtime. A kubelet that
// finds a container ended again within ten minutes backs off, doubling up to five minutes; without
// an old container it starts the next at once. The logs stay below /var/log/pods. Throws what
// StopContainer throws, and base::Interrupted.
void EndContainer(const std::string& id, std::chrono::seconds grace, cri::Runtime& runtime);

// Removes the component's containers that ended before a restart, because the last one would count
// for the backoff as well. Do not call it during a wait: a diagnosis needs them. Throws what the
// list of containers throws, and base::Interrupted.
void ForgetEnded(Component component, cri::Runtime& runtime);

}  // namespace components
