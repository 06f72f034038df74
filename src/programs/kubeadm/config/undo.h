// SPDX-License-Identifier: Apache-2.0
// Taking back what `config apply` did to this node.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// UndoLastChange takes back what the journal of this node has; the caller holds the node's lock.
// The flags are ConfigLookFlags. Throws base::Error(kNotFound) when there is nothing to take back.
void UndoLastChange(cli::Invocation& invocation, host::Host& host);

}  // namespace kubeadm
