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

// ContainersOf are the containers of these components' static Pods, in all states. Others that bear
// such a name are none of them: a hosted control plane's, an etcd that somebody runs in a Pod. What
// tells them is the Pod's name (PodName, for whatever node) and the annotation
// kubernetes.io/config.source, which the kubelet gives each of its Pods. Throws what the runtime
// throws.
std::vector<cri::Container> ContainersOf(std::span<const Component> which, cri::Runtime& runtime);
std::vector<cri::Container> ContainersOf(Component component, cri::Runtime& runtime);

// SandboxesOf are those of the component's static Pods, which may have no container (any more).
std::vector<cri::Sandbox> SandboxesOf(Component component, cri::Runtime& runtime);

// EndContainer gives it `grace` to end well, and has the runtime forget it. A kubelet that finds a
// container ended again within ten minutes waits before it starts the next, each time for twice as
// long, up to five minutes; one that finds none starts one. What it wrote stays below
// /var/log/pods. Throws what StopContainer throws, and an interrupt (kCancelled).
void EndContainer(const std::string& id, std::chrono::seconds grace, cri::Runtime& runtime);

// ForgetEnded has the runtime forget the component's containers that have ended before a restart,
// of which the last would count as well. Not while one is waited for: they are what a diagnosis
// goes by. Throws what the list of containers throws, and an interrupt (kCancelled).
void ForgetEnded(Component component, cri::Runtime& runtime);

}  // namespace components
