// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm reset` (reference: phases.md §5).
#pragma once

#include <string>
#include <vector>

#include "kubeadm/reset/data.h"
#include "workflow/phase.h"

namespace kubeadm {

using ResetPhase = workflow::Phase<ResetData>;

std::vector<ResetPhase> ResetPhases();

// ResetReport is what the command says at its end: what is left on this machine.
std::string ResetReport(const std::vector<std::string>& leftovers);

}  // namespace kubeadm
