// SPDX-License-Identifier: Apache-2.0
#include "config/taints.h"

namespace config {

Taint ControlPlaneTaint() {
  return {.key = "node-role.kubernetes.io/control-plane", .value = "", .effect = "NoSchedule"};
}

std::string TaintText(const Taint& taint) {
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  const bool bare = taint.value.empty() && taint.effect.empty();
  return taint.key + value + (bare ? "" : ":" + taint.effect);
}

}  // namespace config
