// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/approver.h"

#include "addons/kube_proxy.h"
#include "addons/machine_approver.h"
#include "base/error.h"

namespace kubeadm {
namespace {

using base::Error;

void Apply(InitData& data, workflow::Context& context) {
  const addons::ApproverProgram& program = *data.init_options.approver;
  if (data.init_options.print_manifest) {
    context.Print(addons::ManifestText(addons::ApproverManifests(data.config, program)));
    return;
  }
  addons::ApplyApprover(data.Client(context), data.config, program);
  context.Print("[addons] Applied addon: machine-approver");
}

}  // namespace

void RefuseApproverWithoutSigner(const InitData& data) {
  if (data.init_options.approver) {
    throw Error(Error::Kind::kInvalid,
                "serving certificates of kubelets are signed by the controller manager with the "
                "CA's key, which is not on this machine: leave out --kubelet-serving-certs, or put "
                "ca.key beside ca.crt");
  }
}

InitPhase ApproverPhase() {
  return {.name = "machine-approver",
          .summary = "Install the approver of kubelets' serving certificates",
          .hidden = true,
          .when = [](const InitData& data) { return data.init_options.approver.has_value(); },
          .run = Apply};
}

}  // namespace kubeadm
