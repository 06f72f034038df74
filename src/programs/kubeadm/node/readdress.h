// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubeadm/trial_command.h"

namespace kubeadm {

// Returns the description of `node readdress`'s trials.
TrialVerb ReaddressTrial();

}  // namespace kubeadm
