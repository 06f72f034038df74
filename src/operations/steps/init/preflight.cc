// SPDX-License-Identifier: Apache-2.0
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace init_steps {

void CheckMachine(InitData& data, workflow::Context& context) {
  context.Print("[preflight] Checking this machine");
  CheckRoot(data, context);
  RunChecks(preflight::InitChecks(CheckSources(data), data.config), data, context);
}

}  // namespace init_steps
