// SPDX-License-Identifier: Apache-2.0
// `upgrade apply --path`: over several minor versions.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Executes the path hop by hop: each hop is a whole `upgrade apply` with its own record. After each
// hop the control plane must be healthy; then this node's kubelet follows. A repeated command
// continues after an interruption. Throws base::Error with the hop of the failure, the remedy and
// the failure's kind.
void ApplyPath(cli::Invocation& invocation, host::Host& host);

}  // namespace kubeadm
