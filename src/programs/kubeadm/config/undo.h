// SPDX-License-Identifier: Apache-2.0
// The rollback of `config apply` on this node.
#pragma once

#include "base/show_line.h"
#include "cli/command.h"
#include "host/host.h"
#include "kubeadm/operation_command.h"
#include "kubeadm/trial_command.h"

namespace kubeadm {

// Plans the rollback of the change in this node's journal. The journal must exist. The flags are
// ConfigLookFlags.
PlannedRun PlanConfigUndo(const cli::Invocation& invocation, host::Host& host,
                          const base::ShowLine& say);

// Returns the description of `config apply`'s trials.
TrialVerb ConfigTrial();

}  // namespace kubeadm
