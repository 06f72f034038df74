// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/path_question.h"

#include <utility>

#include "base/error.h"
#include "kubeadm/upgrade/config.h"

namespace kubeadm {

kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host) {
  return kube::Client(UpgradeTransport(flags.Text("kubeconfig"), host), host.clock, {},
                      host.signals.Interrupt());
}

PathAnswer FindPath(const cli::Parsed& flags, const std::string& configured, host::Host& host,
                    kube::Client& client) {
  std::vector<upgrade_path::KubeletProgram> programs;
  if (const std::string& directory = flags.Text("node-packages"); !directory.empty()) {
    programs = base::WithContext("--node-packages",
                                 [&] { return upgrade_path::FindKubelets(host, directory); });
  }
  return {
      upgrade_path::FindPath({.host = host,
                              .client = client,
                              .wanted = ChosenVersion(flags, configured),
                              .kubelets = programs,
                              .kubelet_command = !flags.Text("upgrade-kubelet-command").empty()}),
      std::move(programs)};
}

}  // namespace kubeadm
