// SPDX-License-Identifier: Apache-2.0
// The steps of a control-plane node after its kubelet's start.
#include "steps/join/steps.h"
#include "steps/node/steps.h"

namespace join_steps {

bool IsControlPlane(const JoinData& data) { return data.control_plane(); }

void MarkNode(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  data.world.Do({.on_machine = [&] { MarkControlPlane(data, context); },
                 .in_dry_run = steps::Would(context, {"[control-plane-join] Would mark node " +
                                                      data.config.init.node_registration.name +
                                                      " as one of the control plane"})});
}

void WaitForControlPlane(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  SayWaitForControlPlane(data, context);
  context.Progress("waiting for the control plane of this node");
  WaitForComponents(components::kControlPlane, node_steps::Controllers::kNotNeeded, data, context);
  context.Progress({});
}

}  // namespace join_steps
