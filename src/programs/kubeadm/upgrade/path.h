// SPDX-License-Identifier: Apache-2.0
// `upgrade plan --path` and `upgrade apply --path`: over as many minor versions as it takes.
#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "host/host.h"

namespace kubeadm {

// PathFlags are --path and what goes with it alone.
std::vector<cli::Flag> PathFlags();

// WantsPath tells whether --path is given. Throws base::Error(kUsage) for a flag that goes with it
// alone, and for two ways to one kubelet.
bool WantsPath(const cli::Parsed& flags);

// ShowPath changes nothing.
void ShowPath(cli::Invocation& invocation, host::Host& host);

// ApplyPath goes the way hop by hop: each is a whole `upgrade apply` with a record of its own,
// after it the control plane must be well and this node's kubelet follows. Given again it goes on
// where it was cut off. Throws base::Error that says at which hop it ended and what to do.
void ApplyPath(cli::Invocation& invocation, host::Host& host);

}  // namespace kubeadm
