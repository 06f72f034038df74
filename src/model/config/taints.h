// SPDX-License-Identifier: Apache-2.0
// Taints of Nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"

namespace config {

// ControlPlaneTaint keeps ordinary Pods away from control-plane nodes.
Taint ControlPlaneTaint();

// TaintText is "key=value:Effect", or "key:Effect" without a value, as the kubelet's
// --register-with-taints takes it.
std::string TaintText(const Taint& taint);

}  // namespace config
