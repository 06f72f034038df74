// SPDX-License-Identifier: Apache-2.0
// The container runtimes that run on this machine.
#pragma once

#include <string>
#include <vector>

#include "host/network.h"

namespace node_input {

// Returns the sockets of config::kKnownCriSockets with a listener. The sockets of stopped or
// removed runtimes are left out.
std::vector<std::string> RunningRuntimes(const host::Network& network);

}  // namespace node_input
