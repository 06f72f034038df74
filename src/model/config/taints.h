// SPDX-License-Identifier: Apache-2.0
// Taints of Nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"

namespace config {

// Keeps ordinary Pods away from control-plane nodes.
Taint ControlPlaneTaint();

// Formats "key=value:Effect", or "key:Effect" without a value, as in the kubelet's
// --register-with-taints.
std::string TaintText(const Taint& taint);

}  // namespace config
