// SPDX-License-Identifier: Apache-2.0
// Between two hops of a way over several minor versions.
#include <fmt/core.h>

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

}  // namespace upgrade_steps
