// SPDX-License-Identifier: Apache-2.0
// Phases `addon …`.
#include "kubeadm/init/phases.h"
#include "steps/init/steps.h"

namespace kubeadm {
std::vector<InitPhase> AddonPhases() {
  return {{.name = "coredns",
           .summary = "Install CoreDNS, which answers the names of Services",
           .flags = {"config", "dry-run", "feature-gates", "image-repository", "kubeconfig",
                     "kubernetes-version", "print-manifest", "service-cidr", "service-dns-domain"},
           .run = init_steps::ApplyOrPrintCoreDns},
          {.name = "kube-proxy",
           .summary = "Install kube-proxy, which brings traffic to Services",
           .flags = {"apiserver-advertise-address", "apiserver-bind-port", "config",
                     "control-plane-endpoint", "dry-run", "image-repository", "kubeconfig",
                     "kubernetes-version", "pod-network-cidr", "print-manifest"},
           .run = init_steps::ApplyOrPrintKubeProxy},
          // Help hides the phases below, because upstream's help does not list them. A file with an
          // ExtensionConfiguration enables them for `init phase addon all`.
          {.name = "machine-approver",
           .summary = "Install the approver of kubelets' serving certificates",
           .hidden = true,
           .when = init_steps::HasApprover,
           .run = init_steps::ApplyApprover},
          {.name = "slipway-operator",
           .summary = "Install the operator of ClusterOperations",
           .hidden = true,
           .when = init_steps::HasFleet,
           .run = init_steps::ApplyFleet}};
}

}  // namespace kubeadm
