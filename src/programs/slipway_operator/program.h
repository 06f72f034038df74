// SPDX-License-Identifier: Apache-2.0
// The command line of slipway-operator.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace slipway_operator {

// Returns the root command. Without a subcommand it runs the controller until SIGTERM. `host` must
// outlive it.
cli::Command Root(host::Host& host);

}  // namespace slipway_operator
