// SPDX-License-Identifier: Apache-2.0
// New manifests for running static Pods.
#pragma once

#include <span>

#include "json/fwd.h"
#include "static_pods/restart.h"

namespace static_pods {

// Writes the manifests and ends the old Pods, both in the given order. Then waits until the new
// Pods serve. A manifest exists at any time: if this process is killed, the kubelet starts the new
// Pods by itself.
//
// A kubelet that gets a new manifest while the old Pod runs checks only every 10 to 15 s whether
// the old Pod has ended. To avoid this delay, the manifests are first written with a temporary
// annotation, which makes them manifests of different Pods. When the kubelet has removed the
// directories of the old Pods, it has finished with these Pods. Then the manifests get their final
// form, and the kubelet starts the final Pods immediately. A final manifest is written only once. A
// kubelet that still does not start its Pod is restarted (WaitForSuccessors).
//
// Throws base::Error(kTimeout), with a diagnosis, if a Pod does not serve in time or crash-loops.
void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context);

// Removes the temporary annotation that an interrupted replacement has left in a Pod. Returns
// whether the Pod had the annotation.
bool Unmark(json::Value& pod);

}  // namespace static_pods
