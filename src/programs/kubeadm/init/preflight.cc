// SPDX-License-Identifier: Apache-2.0
// Phase `preflight`: checks first, then images, while the rest goes on.
#include "kubeadm/init/phases.h"
#include "node_steps/steps.h"

namespace kubeadm {
namespace {

void Check(InitData& data, workflow::Context& context) {
  context.Print("[preflight] Checking this machine");
  CheckRoot(data, context);
  RunChecks(preflight::InitChecks(CheckSources(data), data.config), data, context);
}

}  // namespace

std::vector<InitPhase> PreflightSteps() {
  return {{.name = "checks",
           .summary = "Check this machine",
           .hidden = true,
           .makes = {"checked"},
           .run = Check},
          {.name = "images",
           .summary = "Pull the images",
           .hidden = true,
           .needs = {"checked"},
           .run = node_steps::PullImages}};
}

}  // namespace kubeadm
