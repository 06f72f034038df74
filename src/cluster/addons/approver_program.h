// SPDX-License-Identifier: Apache-2.0
// The program of the approver of kubelets' serving certificates.
#pragma once

#include "addons/machine_approver.h"
#include "config/extension.h"
#include "host/host.h"

namespace addons {

// Chooses the program of the approver's Pod: the program of the configured image, or else this
// node's program. Throws base::Error(kInvalid) if the configuration names no image and this node
// lacks the program.
ApproverProgram ChooseApprover(const config::KubeletServingCerts& serving, const host::Host& host);

}  // namespace addons
