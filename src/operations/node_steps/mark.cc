// SPDX-License-Identifier: Apache-2.0
// The step that marks a node as part of the control plane.
#include "node_objects/mark.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "config/taints.h"
#include "node_steps/steps.h"

namespace node_steps {

void MarkControlPlane(NodeData& data, workflow::Context& context) {
  const config::NodeRegistration& node = data.config.init.node_registration;
  const std::vector<config::Taint> taints = node_objects::ControlPlaneTaints(node.taints);
  std::vector<std::string> texts;
  for (const config::Taint& taint : taints) {
    texts.push_back(config::TaintText(taint));
  }
  context.Print(fmt::format(
      "[mark-control-plane] Marking node {} as control plane by labels [{} {}]", node.name,
      node_objects::kControlPlaneLabels[0], node_objects::kControlPlaneLabels[1]));
  if (!texts.empty()) {
    context.Print(
        fmt::format("[mark-control-plane] Marking node {} as control plane by taints [{}]",
                    node.name, base::Join(texts, " ")));
  }
  node_objects::MarkControlPlane(data.Client(context), node.name, taints);
}

}  // namespace node_steps
