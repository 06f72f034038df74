// SPDX-License-Identifier: Apache-2.0
// The waits of init: first for the kubelet, then for an answer of the API server. An answer
// suffices for the next phases, because they wait for further conditions themselves. Another wait,
// for the health of all components, runs concurrently.
#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "config/paths.h"
#include "kubeconfigs/load.h"
#include "objects/controller_accounts.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace init_steps {
namespace {

using components::Component;

// Throws the error of a missing or unusable admin.conf. Without this file the wait would only time
// out, minutes later.
void RequireAdminConf(const InitData& data) {
  kubeconfigs::LoadKubeconfig(data.host.files, data.KubeconfigPath(config::kAdminConf));
}

// Returns whether the user has provided settings or the CA of the controller manager. The
// controller manager becomes the leader some seconds after the other components are healthy. At
// that time, only settings or a CA from the user can make it fail.
bool ControllersMayFail(const InitData& data) {
  const config::ControlPlaneComponent& settings = data.config.cluster.controller_manager;
  const auto ca = data.host.files.Stat(fs::path(data.config.cluster.certificates_dir) / "ca.crt");
  return !settings.extra_args.empty() || !settings.extra_envs.empty() ||
         !settings.extra_volumes.empty() || !data.options.patches_directory.empty() ||
         (ca && ca->modified < data.start);
}

}  // namespace

void WaitForKubelet(InitData& data, workflow::Context& context) {
  data.world.Do(
      {.on_machine = [&] { RequireAdminConf(data); },
       .in_dry_run = [&] { ShowWhatTheKubeletRuns(components::kControlPlane, data, context); }});
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
  WaitForComponents(components::kControlPlane,
                    ControllersMayFail(data) ? node_steps::Controllers::kNeeded
                                             : node_steps::Controllers::kNotNeeded,
                    data, context);
  context.Progress({});
}

void WaitForRules(InitData& data, workflow::Context& context) {
  context.Progress("waiting for the API server to let its administrator in");
  data.Client(context);
  context.Progress({});
}

// A failure is only logged: the controller manager creates missing accounts itself, but later.
void MakeControllerAccounts(InitData& data, workflow::Context& context) {
  try {
    const auto version = base::Version::Parse(data.config.cluster.kubernetes_version);
    const auto pod = static_pods::ReadManifest(data.host.files, Component::kControllerManager);
    if (version && pod) {
      objects::MakeControllerAccounts(data.Client(context),
                                      objects::ControllerAccounts(*pod, *version));
    }
  } catch (const base::Error& error) {
    base::LogInfo(1, "the controllers' accounts are left to the controller manager: {}",
                  error.message());
  }
}

bool RunsPods(const InitData& data) { return data.world.RunsPods(); }

}  // namespace init_steps
