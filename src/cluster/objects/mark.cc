// SPDX-License-Identifier: Apache-2.0
#include "objects/mark.h"

#include <algorithm>

#include "config/taints.h"
#include "config/versions.h"

namespace objects {

std::vector<config::Taint> ControlPlaneTaints(
    const std::optional<std::vector<config::Taint>>& configured) {
  return configured.value_or(
      std::vector<config::Taint>{{.key = std::string(kControlPlaneLabel), .effect = "NoSchedule"}});
}

void MarkNode(json::Value& node, const std::vector<config::Taint>& taints) {
  for (const std::string_view label : kControlPlaneLabels) {
    node["metadata"]["labels"][std::string(label)] = "";
  }
  json::Value all = json::Value::array();
  for (const config::Taint& taint : taints) {
    all.push_back(json::Encode(taint, config::kV1beta4));
  }
  for (const json::Value& taint : json::At(node, {"spec", "taints"})) {
    if (std::ranges::find(all, taint) == all.end()) {
      all.push_back(taint);
    }
  }
  if (!all.empty()) {
    node["spec"]["taints"] = std::move(all);
  }
}

void MarkControlPlane(kube::Client& client, const std::string& node,
                      const std::vector<config::Taint>& taints) {
  client.PatchNode(node, [&](json::Value& object) { MarkNode(object, taints); });
}

}  // namespace objects
