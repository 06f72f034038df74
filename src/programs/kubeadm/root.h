// SPDX-License-Identifier: Apache-2.0
// The command tree of kubeadm.
#pragma once

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace kubeadm {

// Returns `kubeadm` with all its subcommands, acting on `host`. `host` and `terminal` must outlive
// it; the flag --color needs `terminal`, and without it has no effect.
cli::Command Root(host::Host& host, cli::Terminal* terminal = nullptr);

}  // namespace kubeadm
