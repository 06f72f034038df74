// SPDX-License-Identifier: Apache-2.0
// Phase `wait-control-plane`: first the kubelet, then an API server that answers, which is all that
// the next phases need: they wait for what is still missing in it. Its health and that of the rest
// is waited for at the same time.
#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/paths.h"
#include "controller_accounts/controller_accounts.h"
#include "kubeadm/init/phases.h"
#include "kubeconfigs/load.h"
#include "node_steps/steps.h"

namespace kubeadm {
namespace {

using components::Component;

// Without it the wait could only end badly, minutes later.
void RequireAdminConf(const InitData& data) {
  kubeconfigs::LoadKubeconfig(data.host.files, data.KubeconfigPath(config::kAdminConf));
}

void WaitForKubelet(InitData& data, workflow::Context& context) {
  data.world.Do(
      {.act = [&] { RequireAdminConf(data); },
       .show = [&] { ShowWhatTheKubeletRuns(components::kControlPlane, data, context); }});
  context.Print(fmt::format(
      "[wait-control-plane] The kubelet now starts the control plane from the manifests in {}",
      ManifestDirectory(data)));
  WaitForHealthyKubelet(data, data.config.cluster.kubelet.value, context);
}

void WaitForApi(InitData& data, workflow::Context& context) {
  context.Progress("waiting for the API server");
  WaitForAnswer(data, context);
  context.Progress({});
}

void WaitForHealth(InitData& data, workflow::Context& context) {
  SayWaitForControlPlane(data, context);
  context.Progress("waiting for a healthy control plane");
  WaitForComponents(components::kControlPlane, data, context);
  context.Progress({});
}

// The controller manager can do without: it makes the accounts itself, later.
void MakeControllerAccounts(InitData& data, workflow::Context& context) {
  try {
    const auto version = base::Version::Parse(data.config.cluster.kubernetes_version);
    const auto pod = static_pods::ReadManifest(data.host.files, Component::kControllerManager);
    if (version && pod) {
      controller_accounts::MakeControllerAccounts(
          data.Client(context), controller_accounts::ControllerAccounts(*pod, *version));
    }
  } catch (const base::Error& error) {
    base::LogInfo(1, "the controllers' accounts are left to the controller manager: {}",
                  error.message());
  }
}

bool RunsPods(const InitData& data) { return data.world.RunsPods(); }

}  // namespace

std::vector<InitPhase> WaitSteps() {
  return {{.name = "kubelet",
           .summary = "Wait until the kubelet is healthy",
           .hidden = true,
           .makes = {"healthy-kubelet"},
           .run = WaitForKubelet},
          {.name = "api",
           .summary = "Wait until the API server answers",
           .hidden = true,
           .needs = {"healthy-kubelet"},
           .makes = {"api"},
           .when = RunsPods,
           .run = WaitForApi},
          {.name = "accounts",
           .summary = "Make the accounts of the controller manager's controllers",
           .hidden = true,
           .needs = {"api"},
           .when = RunsPods,
           .run = MakeControllerAccounts},
          {.name = "components",
           .summary = "Wait until the control plane is healthy",
           .hidden = true,
           .needs = {"healthy-kubelet"},
           .when = RunsPods,
           .run = WaitForHealth}};
}

}  // namespace kubeadm
