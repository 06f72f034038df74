// SPDX-License-Identifier: Apache-2.0
#include "init_steps/steps.h"
#include "node_steps/steps.h"

namespace init_steps {

void CheckMachine(InitData& data, workflow::Context& context) {
  context.Print("[preflight] Checking this machine");
  CheckRoot(data, context);
  RunChecks(preflight::InitChecks(CheckSources(data), data.config), data, context);
}

}  // namespace init_steps
