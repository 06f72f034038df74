// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubeadm/trial_command.h"

namespace kubeadm {

// The trials of `node readdress`.
TrialVerb ReaddressTrial();

}  // namespace kubeadm
