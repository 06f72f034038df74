// SPDX-License-Identifier: Apache-2.0
// `upgrade apply --path`: over as many minor versions as it takes.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// ApplyPath goes the way hop by hop: each is a whole `upgrade apply` with a record of its own,
// after it the control plane must be well and this node's kubelet follows. Given again it goes on
// where it was cut off. Throws base::Error that says at which hop it ended and what to do.
void ApplyPath(cli::Invocation& invocation, host::Host& host);

}  // namespace kubeadm
