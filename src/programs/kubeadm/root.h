// SPDX-License-Identifier: Apache-2.0
// The command tree of kubeadm.
#pragma once

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/host.h"

namespace kubeadm {

// Root is `kubeadm` with all that is below it, acting on `host`, which must outlive it, as
// `terminal` must, which the flag --color is for; without it the flag is read and has no effect.
cli::Command Root(host::Host& host, cli::Terminal* terminal = nullptr);

}  // namespace kubeadm
