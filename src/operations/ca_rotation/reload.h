// SPDX-License-Identifier: Apache-2.0
// What is read again without a restart, and the moment at which everything has come back.
#pragma once

#include <string>

#include "ca_rotation/node.h"
#include "ca_rotation/steps.h"

namespace ca_rotation {

// WaitForReload waits until what is read again without a restart has been. Throws base::Error when
// it is not in time.
void WaitForReload(Reload reload, const Node& node);

// WaitForControllers waits for a controller manager that has led since that kube::MicroTime: it
// serves before it leads, and what it writes has to wait until then. Throws base::Error(kTimeout).
void WaitForControllers(const Node& node, const std::string& since);

// RestartKubelet restarts it and waits until it has written its lease since. Throws base::Error
// when it cannot be restarted or does not come back.
void RestartKubelet(const Node& node);

}  // namespace ca_rotation
