// SPDX-License-Identifier: Apache-2.0
// Code that the commands of `kubeadm fleet` share.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "kube/client.h"

namespace kubeadm {

// Returns the flag --kubeconfig (TokenKubeconfigPath).
cli::Flag FleetKubeconfigFlag();

// Connects with the kubeconfig of --kubeconfig. `patience` limits the retries of a request.
kube::Client FleetClient(const cli::Invocation& invocation, const host::Host& host,
                         std::chrono::milliseconds patience);

// Returns the command's argument. Throws base::Error(kUsage) without one.
const std::string& RequireOperationName(const cli::Invocation& invocation);

// Returns the commands about the operator's objects. `host` must outlive them.
std::vector<cli::Command> FleetObjectCommands(host::Host& host);

// Returns `fleet watch`, `fleet logs` and `fleet timeline`. `host` must outlive them.
std::vector<cli::Command> FleetWatchCommands(host::Host& host);

}  // namespace kubeadm
