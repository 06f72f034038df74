// SPDX-License-Identifier: Apache-2.0
// The command `slipway-operator extension`: the runtime extension of Cluster API.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace slipway_operator {

// Returns the command. It answers the hooks (machine_update/hooks.h) until SIGTERM. `host` must
// outlive it.
cli::Command ExtensionCommand(host::Host& host);

}  // namespace slipway_operator
