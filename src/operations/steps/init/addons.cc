// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "addons/fleet_operator.h"
#include "addons/kube_proxy.h"
#include "addons/machine_approver.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "config/extension.h"
#include "objects/kubelet_trust.h"
#include "pki/certificate.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace init_steps {
namespace {

// Publishes the cluster's CA. Has no effect if another CA signs kubelets' certificates: kubeadm
// does not rotate that CA, so the published copy would become stale.
void PublishKubeletTrust(InitData& data, workflow::Context& context) {
  const host::fs::path ca = certs::CertPath(data.config.cluster.certificates_dir, certs::kCa);
  data.world.Bring(ca, {.mode = 0644, .directory_mode = 0700});
  if (!config::VerifiesKubeletsByClusterCa(data.config.cluster)) {
    context.Print("[addons] The CA of kubelets is not published: it is not this cluster's own");
    return;
  }
  if (!data.host.files.Exists(ca)) {
    context.Print(fmt::format("[addons] The CA of kubelets is not published: there is no {}",
                              data.host.files.Location(ca).string()));
    return;
  }
  std::string pem;
  for (const pki::Certificate& each : pki::Certificate::ChainFromPem(data.host.files.Read(ca))) {
    pem += each.Pem();
  }
  objects::PublishKubeletTrust(data.Client(context), pem);
}

}  // namespace

void ApplyOrPrintCoreDns(InitData& data, workflow::Context& context) {
  (data.init_options.print_manifest ? node_steps::PrintCoreDns : node_steps::ApplyCoreDns)(data,
                                                                                           context);
}

void ApplyOrPrintKubeProxy(InitData& data, workflow::Context& context) {
  (data.init_options.print_manifest ? node_steps::PrintKubeProxy : node_steps::ApplyKubeProxy)(
      data, context);
}

bool HasApprover(const InitData& data) { return data.init_options.approver.has_value(); }

void ApplyApprover(InitData& data, workflow::Context& context) {
  addons::ApplyApprover(data.Client(context), data.config, *data.init_options.approver);
  PublishKubeletTrust(data, context);
  context.Print("[addons] Applied addon: machine-approver");
}

bool HasFleet(const InitData& data) { return data.init_options.fleet.has_value(); }

void ApplyFleet(InitData& data, workflow::Context& context) {
  addons::ApplyFleet(data.Client(context), *data.init_options.fleet);
  context.Print("[addons] Applied addon: slipway-operator");
}

}  // namespace init_steps
