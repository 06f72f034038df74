// SPDX-License-Identifier: Apache-2.0
// Who takes a change back that is being tried and that nobody confirms.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// ConfigKeepCommand waits for the end of the trial and takes the change back then.
cli::Command ConfigKeepCommand(host::Host& host);

}  // namespace kubeadm
