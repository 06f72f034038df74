// SPDX-License-Identifier: Apache-2.0
// New manifests for running static Pods.
#pragma once

#include <span>

#include "json/fwd.h"
#include "static_pods/restart.h"

namespace static_pods {

// ReplacePods writes the manifests, ends the old Pods, all of it in the given order, and waits
// until the new Pods serve. A manifest is never missing: if this process is killed at any point,
// the kubelet starts the new Pods by itself.
//
// A kubelet that gets a new manifest while the old Pod runs checks only every 10 to 15 s whether
// that has ended. Therefore the manifests are first written with an annotation that makes them
// other Pods. They get their final form once the kubelet has removed the old Pods' directories, and
// so has finished with these Pods: the final Pods then start at once. The final manifest is not
// touched again; a kubelet that still does not start its Pod is restarted (WaitForSuccessors).
//
// Throws base::Error(kTimeout), with a diagnosis, if one does not serve in time or crash-loops.
void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context);

// Turns the Pod of an interrupted replacement's manifest into its final form; returns whether it
// was one.
bool Unmark(json::Value& pod);

}  // namespace static_pods
