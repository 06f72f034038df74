// SPDX-License-Identifier: Apache-2.0
// Files that are reloaded without a restart, and waits after restarts.
#pragma once

#include <string>

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// Waits for the reload of files that need no restart. Throws base::Error after the limit.
void WaitForReload(Reload reload, const Node& node);

// Waits for a controller manager that has led since that kube::MicroTime: it serves before it
// leads, and its writes come only then. Throws base::Error(kTimeout).
void WaitForControllers(const Node& node, const std::string& since);

// Restarts it and waits until it has written its Lease since. Throws base::Error if it cannot be
// restarted or does not become ready.
void RestartKubelet(const Node& node);

}  // namespace ca_rotation
