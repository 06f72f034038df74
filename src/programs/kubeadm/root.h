// SPDX-License-Identifier: Apache-2.0
// The command tree of kubeadm.
#pragma once

#include "cli/colors.h"
#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Root is `kubeadm` with all that is below it, acting on `host`, which must outlive it, as `colors`
// must, which the flag --color is for; without them the flag is read and has no effect.
cli::Command Root(host::Host& host, cli::Colors* colors = nullptr);

}  // namespace kubeadm
