// SPDX-License-Identifier: Apache-2.0
// The CA of kubelets' serving certificates. A certificate of this CA may attest its own renewal.
#pragma once

#include <stop_token>

#include "controller/settings.h"
#include "kube/client.h"

namespace controller {

// Returns whether the CA in the settings may be trusted now (docs/approver.md). A CA from the user
// is always trusted. The default CA is trusted only if the cluster that stores the Machines serves
// the API Settings::renewal_ca_needs. Throws the errors of kube::Transport if the API cannot be
// discovered.
bool RenewalCaCounts(const Settings& settings, kube::Transport& management,
                     const std::stop_token& stop);

}  // namespace controller
