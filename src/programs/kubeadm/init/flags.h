// SPDX-License-Identifier: Apache-2.0
// The flags of `kubeadm init` and of its phases.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"

namespace kubeadm {

// InitFlags returns the flags of `kubeadm init` itself. InitPhaseFlags returns the flags that a
// phase may have.
std::vector<cli::Flag> InitFlags();
std::vector<cli::Flag> InitPhaseFlags();

}  // namespace kubeadm
