// SPDX-License-Identifier: Apache-2.0
// `upgrade apply --path`: an upgrade over several minor versions.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Executes the path hop by hop. Each hop is a whole `upgrade apply` with its own record. After each
// hop the control plane must be healthy; then this node's kubelet is upgraded. After an
// interruption, a repeated command resumes. Throws the error of the failed hop, with the hop and
// the remedy.
void ApplyPath(cli::Invocation& invocation, host::Host& host);

}  // namespace kubeadm
