// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm join`, in order.
#pragma once

#include <vector>

#include "steps/join/data.h"
#include "workflow/phase.h"

namespace kubeadm {

namespace fs = std::filesystem;
using join_steps::JoinData;
using JoinPhase = workflow::Phase<JoinData>;

std::vector<JoinPhase> JoinPhases();

}  // namespace kubeadm
