// SPDX-License-Identifier: Apache-2.0
// Shared by the commands of `kubeadm fleet`.
#pragma once

#include <vector>

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// --kubeconfig (TokenKubeconfigPath).
cli::Flag FleetKubeconfigFlag();

// The commands about the operator's objects. `host` must outlive them.
std::vector<cli::Command> FleetObjectCommands(host::Host& host);

}  // namespace kubeadm
