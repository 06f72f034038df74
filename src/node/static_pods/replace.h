// SPDX-License-Identifier: Apache-2.0
// New manifests for running static Pods.
#pragma once

#include <span>

#include "json/fwd.h"
#include "static_pods/restart.h"

namespace static_pods {

// Writes the manifests and ends the old Pods, both in the given order. Then waits until the new
// Pods serve. A manifest is never missing: if this process is killed at any point, the kubelet
// starts the new Pods by itself.
//
// A kubelet that gets a new manifest while the old Pod runs checks only every 10 to 15 s whether
// the old Pod has ended. Therefore the manifests are first written with a temporary annotation,
// which makes them different Pods. They get their final form once the kubelet has removed the old
// Pods' directories, and so has finished with these Pods: the final Pods then start at once. The
// final manifest is not touched again; a kubelet that still does not start its Pod is restarted
// (WaitForSuccessors).
//
// Throws base::Error(kTimeout), with a diagnosis, if a Pod does not serve in time or crash-loops.
void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context);

// Converts a Pod with the temporary annotation, of an interrupted replacement, into its final form.
// Returns whether it had the annotation.
bool Unmark(json::Value& pod);

}  // namespace static_pods
