// SPDX-License-Identifier: Apache-2.0
// The command tree of kubeadm.
#pragma once

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace kubeadm {

// Returns the command `kubeadm` with all its subcommands, which act on `host`. `host` and
// `terminal` must outlive the command. Without `terminal`, the flag --color has no effect.
cli::Command Root(host::Host& host, cli::Terminal* terminal = nullptr);

}  // namespace kubeadm
