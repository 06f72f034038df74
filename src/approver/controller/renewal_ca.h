// SPDX-License-Identifier: Apache-2.0
// The CA whose kubelet certificates attest their successors.
#pragma once

#include <stop_token>

#include "controller/settings.h"
#include "kube/client.h"

namespace controller {

// Returns whether the CA in the settings may be trusted now (docs/approver.md). A CA from the user
// is always trusted. The default CA is trusted only while the cluster with the Machines serves the
// API Settings::renewal_ca_needs. Throws base::Error with the client's kind if it is unknown
// whether the cluster serves this API.
bool RenewalCaCounts(const Settings& settings, kube::Transport& management,
                     const std::stop_token& stop);

}  // namespace controller
