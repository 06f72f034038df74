// SPDX-License-Identifier: Apache-2.0
// The keeper of a change on trial: rolls it back without a confirmation.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Waits for the end of the trial and rolls the change back then.
cli::Command ConfigKeepCommand(host::Host& host);

}  // namespace kubeadm
