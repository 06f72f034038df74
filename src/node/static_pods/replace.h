// SPDX-License-Identifier: Apache-2.0
// New manifests for static Pods that run.
#pragma once

#include <span>

#include "json/fwd.h"
#include "static_pods/restart.h"

namespace static_pods {

// ReplacePods writes the manifests, ends what runs, all of it in the order given, and waits until
// the kubelet has started the new Pods and they serve. At no moment is a manifest missing: whatever
// ends this process, the kubelet starts the new Pods by itself.
//
// A kubelet that is given a new manifest while the old Pod runs looks again whether that has ended
// only after 10 to 15 s. Therefore the manifests are first written with an annotation that makes
// them other Pods, and as they are to be once the kubelet has done with the old ones, whose
// directories it removes then: those start at once.
// The final manifest is not touched again; a kubelet that does not start its Pod all the same is
// restarted (WaitForSuccessors).
//
// Throws base::Error, with a diagnosis, when one does not serve in time or ends again and again.
void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context);

// Unmark makes a Pod of a manifest that a replacement has left which was cut off what it was to
// become; whether it was such a one.
bool Unmark(json::Value& pod);

}  // namespace static_pods
