// SPDX-License-Identifier: Apache-2.0
#include "config/taints.h"

#include <fmt/core.h>

namespace config {

Taint ControlPlaneTaint() {
  return {.key = "node-role.kubernetes.io/control-plane", .value = "", .effect = "NoSchedule"};
}

std::string TaintText(const Taint& taint) {
  return taint.value.empty() ? fmt::format("{}:{}", taint.key, taint.effect)
                             : fmt::format("{}={}:{}", taint.key, taint.value, taint.effect);
}

}  // namespace config
