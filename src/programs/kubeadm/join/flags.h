// SPDX-License-Identifier: Apache-2.0
// The flags of `kubeadm join` and of its phases.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace kubeadm {

inline constexpr const char* kReplaceDeadMember = "replace-dead-member";

// JoinFlags returns the flags of `kubeadm join` itself. JoinPhaseFlags returns the flags that a
// phase may have.
std::vector<cli::Flag> JoinFlags();
std::vector<cli::Flag> JoinPhaseFlags();

}  // namespace kubeadm
