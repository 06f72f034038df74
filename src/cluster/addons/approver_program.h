// SPDX-License-Identifier: Apache-2.0
// Which program the approver of kubelets' serving certificates runs as.
#pragma once

#include "addons/machine_approver.h"
#include "config/extension.h"
#include "host/host.h"

namespace addons {

// ChooseApprover is the program that the approver's Pod runs. Throws base::Error(kInvalid) when no
// image is named and this node has no such program.
ApproverProgram ChooseApprover(const config::KubeletServingCerts& serving, const host::Host& host);

}  // namespace addons
