// SPDX-License-Identifier: Apache-2.0
// Shared by the commands of `kubeadm fleet`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "kube/client.h"

namespace kubeadm {

// --kubeconfig (TokenKubeconfigPath).
cli::Flag FleetKubeconfigFlag();

// Connects as --kubeconfig says. `patience` limits the retries of a request.
kube::Client FleetClient(const cli::Invocation& invocation, const host::Host& host,
                         std::chrono::milliseconds patience);

// Returns the command's argument. Throws base::Error(kUsage) without one.
const std::string& RequireOperationName(const cli::Invocation& invocation);

// The commands about the operator's objects. `host` must outlive them.
std::vector<cli::Command> FleetObjectCommands(host::Host& host);

// `fleet watch`, `fleet logs` and `fleet timeline`. `host` must outlive them.
std::vector<cli::Command> FleetWatchCommands(host::Host& host);

}  // namespace kubeadm
