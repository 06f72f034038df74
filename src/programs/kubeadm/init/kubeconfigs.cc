// SPDX-License-Identifier: Apache-2.0
// Phases `kubeconfig …`.
#include <fmt/core.h>

#include "kubeadm/init/phases.h"
#include "steps/node/steps.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

// Returns the flags of a file's phase. Only kubelet.conf depends on the node's name.
Names FlagsOf(const kubeconfigs::KubeconfigSpec& spec) {
  Names flags = {"apiserver-advertise-address",
                 "apiserver-bind-port",
                 "cert-dir",
                 "config",
                 "control-plane-endpoint",
                 "dry-run",
                 "kubeconfig-dir",
                 "kubernetes-version"};
  if (spec.phase == "kubelet") {
    flags.emplace_back("node-name");
  }
  return flags;
}

InitPhase PhaseOf(const kubeconfigs::KubeconfigSpec& spec) {
  return {.name = std::string(spec.phase),
          .summary = fmt::format("Make the file {}", spec.file),
          .flags = FlagsOf(spec),
          .needs = {"ca"},
          .makes = {std::string(spec.file)},
          .run = [&spec](InitData& data, workflow::Context& context) {
            MakeKubeconfig(spec, data, context);
          }};
}

}  // namespace

std::vector<InitPhase> KubeconfigPhases() {
  std::vector<InitPhase> phases;
  for (const kubeconfigs::KubeconfigSpec& spec : kubeconfigs::InitSpecs()) {
    phases.push_back(PhaseOf(spec));
  }
  return phases;
}

}  // namespace kubeadm
