// SPDX-License-Identifier: Apache-2.0
// The step that marks a node as part of the control plane.
#include "objects/mark.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "config/taints.h"
#include "steps/node/steps.h"

namespace node_steps {

void MarkControlPlane(NodeData& data, workflow::Context& context) {
  const config::NodeRegistration& node = data.config.init.node_registration;
  const std::vector<config::Taint> taints = objects::ControlPlaneTaints(node.taints);
  std::vector<std::string> texts;
  for (const config::Taint& taint : taints) {
    texts.push_back(config::TaintText(taint));
  }
  context.Print(
      fmt::format("[mark-control-plane] Marking node {} as control plane by labels [{} {}]",
                  node.name, objects::kControlPlaneLabels[0], objects::kControlPlaneLabels[1]));
  if (!texts.empty()) {
    context.Print(
        fmt::format("[mark-control-plane] Marking node {} as control plane by taints [{}]",
                    node.name, base::Join(texts, " ")));
  }
  objects::MarkControlPlane(data.Client(context), node.name, taints);
}

}  // namespace node_steps
