// SPDX-License-Identifier: Apache-2.0
// The part of a Job's container: kubeadm on the host.
#pragma once

#include <string>
#include <vector>

#include "host/host.h"

namespace fleet {

// Moves this process out of its privileged container into the namespaces of the host. There it
// copies the own program to /var/lib/slipway/fleet, and runs the copy with these arguments. It
// waits without a limit, and passes an interrupt on. Returns the exit status; after an interrupt
// 128 + N of SIGTERM, so that it is not one of a failure. Throws base::Error: kForbidden without
// the permission, kOther if the copy cannot be started.
int RunOnHost(host::Host& host, const std::vector<std::string>& arguments);

}  // namespace fleet
