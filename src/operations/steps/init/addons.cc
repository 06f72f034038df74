// SPDX-License-Identifier: Apache-2.0
#include "addons/fleet_operator.h"
#include "addons/kube_proxy.h"
#include "addons/machine_approver.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace init_steps {

void ApplyOrPrintCoreDns(InitData& data, workflow::Context& context) {
  (data.init_options.print_manifest ? node_steps::PrintCoreDns : node_steps::ApplyCoreDns)(data,
                                                                                           context);
}

void ApplyOrPrintKubeProxy(InitData& data, workflow::Context& context) {
  (data.init_options.print_manifest ? node_steps::PrintKubeProxy : node_steps::ApplyKubeProxy)(
      data, context);
}

bool HasApprover(const InitData& data) { return data.init_options.approver.has_value(); }

void ApplyOrPrintApprover(InitData& data, workflow::Context& context) {
  const addons::ApproverProgram& program = *data.init_options.approver;
  if (data.init_options.print_manifest) {
    context.Print(addons::ManifestText(addons::ApproverManifests(data.config, program)));
    return;
  }
  addons::ApplyApprover(data.Client(context), data.config, program);
  context.Print("[addons] Applied addon: machine-approver");
}

bool HasFleet(const InitData& data) { return data.init_options.fleet.has_value(); }

void ApplyFleet(InitData& data, workflow::Context& context) {
  addons::ApplyFleet(data.Client(context), *data.init_options.fleet);
  context.Print("[addons] Applied addon: slipway-operator");
}

}  // namespace init_steps
