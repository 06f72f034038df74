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

// Returns the report at the end of the command: the remaining files and objects on this machine,
// and whether init and join would pass their checks.
std::string ResetReport(const std::vector<std::string>& leftovers,
                        const std::vector<reset::NextRun>& next);

// Returns whether all commands would pass their checks.
bool IsFree(const std::vector<reset::NextRun>& next);

}  // namespace kubeadm
