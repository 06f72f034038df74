// SPDX-License-Identifier: Apache-2.0
// Phases `etcd local` and `control-plane …`.
#include <fmt/core.h>

#include "kubeadm/init/phases.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace kubeadm {
namespace {

using components::Component;
using Names = std::vector<std::string>;

InitPhase ControlPlanePhase(Component component, Names flags, Names needs) {
  const std::string name(components::Name(component));
  const std::string phase = name.substr(std::string_view("kube-").size());
  // The other components are started after the API server has created its authorization rules. If a
  // component requests its Lease earlier, it gets a 403 and retries only after two to four seconds.
  const bool serves = component == Component::kApiServer;
  return {.name = phase,
          .summary = fmt::format("Make the {} static Pod manifest", name),
          .flags = std::move(flags),
          .needs = std::move(needs),
          .makes = {"manifests"},
          .awaits = serves ? Names{} : Names{"rules"},
          .run = [component](InitData& data, workflow::Context& context) {
            init_steps::SettleLeftovers(data, context);
            MakeControlPlanePod(component, data, context);
          }};
}

}  // namespace

std::vector<InitPhase> EtcdPhases() {
  return {{.name = "local",
           .summary = "Make the static Pod manifest of a local, single-member etcd",
           .flags = {"cert-dir", "config", "dry-run", "image-repository", "patches"},
           .needs = {"etcd-ca", "etcd-server", "etcd-peer"},
           .makes = {"manifests"},
           .when = [](const InitData& data) { return data.config.cluster.etcd.local.has_value(); },
           .run = init_steps::MakeEtcd}};
}

std::vector<InitPhase> ControlPlanePhases() {
  return {
      ControlPlanePhase(
          Component::kApiServer,
          {"apiserver-advertise-address", "apiserver-bind-port", "apiserver-extra-args", "cert-dir",
           "config", "control-plane-endpoint", "dry-run", "feature-gates", "image-repository",
           "kubernetes-version", "patches", "service-cidr"},
          {"ca", "apiserver", "apiserver-kubelet-client", "front-proxy-ca", "front-proxy-client",
           "apiserver-etcd-client", "sa"}),
      ControlPlanePhase(Component::kControllerManager,
                        {"cert-dir", "config", "controller-manager-extra-args", "dry-run",
                         "image-repository", "kubernetes-version", "patches", "pod-network-cidr"},
                        {"ca", "front-proxy-ca", "sa", "controller-manager.conf"}),
      ControlPlanePhase(Component::kScheduler,
                        {"cert-dir", "config", "dry-run", "image-repository", "kubernetes-version",
                         "patches", "scheduler-extra-args"},
                        {"scheduler.conf"}),
  };
}

}  // namespace kubeadm
