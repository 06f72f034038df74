// SPDX-License-Identifier: Apache-2.0
// The CA by which a kubelet's certificate vouches for its next one.
#pragma once

#include <stop_token>

#include "controller/settings.h"
#include "kube/client.h"

namespace controller {

// RenewalCaCounts asks the cluster of the Machines, now, whether the settings' CA may be trusted: a
// named one always, the default one where its Machines are served (docs/approver.md). Throws
// base::Error where that cannot be known.
bool RenewalCaCounts(const Settings& settings, kube::Transport& management,
                     const std::stop_token& stop);

}  // namespace controller
