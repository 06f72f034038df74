// SPDX-License-Identifier: Apache-2.0
// Phases `addon …`.
#include "kubeadm/init/approver.h"
#include "kubeadm/init/phases.h"
#include "node_steps/steps.h"

namespace kubeadm {
namespace {

void CoreDns(InitData& data, workflow::Context& context) {
  (data.init_options.print_manifest ? node_steps::PrintCoreDns : node_steps::ApplyCoreDns)(data,
                                                                                           context);
}

void KubeProxy(InitData& data, workflow::Context& context) {
  (data.init_options.print_manifest ? node_steps::PrintKubeProxy : node_steps::ApplyKubeProxy)(
      data, context);
}

}  // namespace

std::vector<InitPhase> AddonPhases() {
  return {{.name = "coredns",
           .summary = "Install CoreDNS, which answers the names of Services",
           .flags = {"config", "dry-run", "feature-gates", "image-repository", "kubeconfig",
                     "kubernetes-version", "print-manifest", "service-cidr", "service-dns-domain"},
           .run = CoreDns},
          {.name = "kube-proxy",
           .summary = "Install kube-proxy, which brings traffic to Services",
           .flags = {"apiserver-advertise-address", "apiserver-bind-port", "config",
                     "control-plane-endpoint", "dry-run", "image-repository", "kubeconfig",
                     "kubernetes-version", "pod-network-cidr", "print-manifest"},
           .run = KubeProxy},
          ApproverPhase()};
}

}  // namespace kubeadm
