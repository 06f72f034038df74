// SPDX-License-Identifier: Apache-2.0
// Files that are reloaded without a restart, and waits after restarts.
#pragma once

#include <string>

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"
#include "engine/step_context.h"

namespace ca_rotation {

// Waits until the components have reloaded files that need no restart. Throws base::Error(kTimeout)
// after the limit.
void WaitForReload(Reload reload, const Node& node);

// Waits until a controller manager has led at some time after `since` (kube::MicroTime). A
// controller manager writes only while it leads, and becomes the leader only after it serves.
// Throws base::Error(kTimeout).
void WaitForControllers(const Node& node, const std::string& since);

// Restarts the kubelet and waits until it has renewed its Lease. Throws base::Error(kOther) if the
// restart fails, and base::Error(kTimeout) if the kubelet does not become ready.
void RestartKubelet(const Node& node, engine::StepContext& context);

}  // namespace ca_rotation
