// SPDX-License-Identifier: Apache-2.0
// The flags of `kubeadm join` and of its phases.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace kubeadm {

inline constexpr const char* kReplaceDeadMember = "replace-dead-member";

// JoinFlags are the flags of `kubeadm join` itself. JoinPhaseFlags are the possible flags of a
// phase.
std::vector<cli::Flag> JoinFlags();
std::vector<cli::Flag> JoinPhaseFlags();

}  // namespace kubeadm
