// The step that marks a node as part of the control plane.
#include <fmt/core.h>

#include "base/strings.h"
#include "cluster/node.h"
#include "config/taints.h"
#include "kubeadm/node_steps.h"

namespace kubeadm {

void MarkControlPlane(NodeData& data, workflow::Context& context) {
  const config::NodeRegistration& node = data.config.init.node_registration;
  const std::vector<config::Taint> taints = cluster::ControlPlaneTaints(node.taints);
  std::vector<std::string> texts;
  for (const config::Taint& taint : taints) {
    texts.push_back(config::TaintText(taint));
  }
  context.Print(
      fmt::format("[mark-control-plane] Marking node {} as control plane by labels [{} {}]",
                  node.name, cluster::kControlPlaneLabels[0], cluster::kControlPlaneLabels[1]));
  if (!texts.empty()) {
    context.Print(
        fmt::format("[mark-control-plane] Marking node {} as control plane by taints [{}]",
                    node.name, base::Join(texts, " ")));
  }
  cluster::MarkControlPlane(data.Client(context), node.name, taints);
}

}  // namespace kubeadm
