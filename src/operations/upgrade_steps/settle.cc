// SPDX-License-Identifier: Apache-2.0
// Waiting until the cluster shows what was done to a control plane.
#include <fmt/core.h>

#include "upgrade/mirror_pods.h"
#include "upgrade_path/gate.h"
#include "upgrade_steps/steps.h"

namespace upgrade_steps {

using std::chrono::milliseconds;

void Settle(UpgradeData& data, const std::string& node, milliseconds steady,
            workflow::Context& context) {
  context.Print(fmt::format("[upgrade/path] Waiting until the control plane of {} is well",
                            data.wanted_version));
  context.Progress("waiting for the control plane's Pods to be Ready");
  upgrade_path::WaitForHop({.client = data.Client(context),
                            .clock = data.machine.clock,
                            .node = node,
                            .version = data.wanted_version,
                            .limit = std::chrono::duration_cast<milliseconds>(
                                data.Timeout(&config::Timeouts::upgrade_manifests)),
                            .steady = steady,
                            .stop = context.Stop()});
}

void AwaitMirrors(UpgradeData& data, workflow::Context& context) {
  context.Progress("waiting for the cluster to show this node's static Pods");
  const auto stale = upgrade::AwaitMirrors({.client = data.Client(context),
                                            .host = data.host,
                                            .node = data.config.init.node_registration.name,
                                            .stop = context.Stop()});
  context.Progress({});
  if (stale) {
    context.Warn("upgrade no other node before the cluster shows what runs here: " + *stale);
  }
}

}  // namespace upgrade_steps
