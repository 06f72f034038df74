// SPDX-License-Identifier: Apache-2.0
// The CA whose kubelet certificates attest their successors.
#pragma once

#include <stop_token>

#include "controller/settings.h"
#include "kube/client.h"

namespace controller {

// Asks the Machines' cluster whether the settings' CA may be trusted now: a named one always, the
// default one if its Machines are served (docs/approver.md). Throws base::Error with the client's
// kind if that is unknown.
bool RenewalCaCounts(const Settings& settings, kube::Transport& management,
                     const std::stop_token& stop);

}  // namespace controller
