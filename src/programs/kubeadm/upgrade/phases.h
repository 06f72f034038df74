// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm upgrade apply` and `kubeadm upgrade node` (reference: phases.md §3, §4).
#pragma once

#include <vector>

#include "steps/upgrade/data.h"
#include "workflow/phase.h"

namespace kubeadm {

namespace fs = std::filesystem;
using upgrade_steps::UpgradeData;
using UpgradePhase = workflow::Phase<UpgradeData>;

std::vector<UpgradePhase> UpgradeApplyPhases();
std::vector<UpgradePhase> UpgradeNodePhases();

}  // namespace kubeadm
