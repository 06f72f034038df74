// SPDX-License-Identifier: Apache-2.0
// The command tree of kubeadm.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Root is `kubeadm` with all that is below it, acting on `host`, which must outlive it.
cli::Command Root(host::Host& host);

}  // namespace kubeadm
