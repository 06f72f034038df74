// SPDX-License-Identifier: Apache-2.0
// Rollback of `config apply` on this node.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Rolls back the change in this node's journal; the caller holds the node's lock. The flags are
// ConfigLookFlags. Throws base::Error(kNotFound) without such a change.
void UndoLastChange(cli::Invocation& invocation, host::Host& host);

}  // namespace kubeadm
