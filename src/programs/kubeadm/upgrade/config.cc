// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "config/load.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"

namespace kubeadm {

config::UpgradeConfiguration LoadUpgradeConfig(const cli::Parsed& flags, const host::Host& host) {
  config::RequireUnmixedArguments(flags.ChangedNames());
  return ReadUpgradeConfig(flags, host);
}

config::UpgradeConfiguration ReadUpgradeConfig(const cli::Parsed& flags, const host::Host& host) {
  const std::string& path = flags.Text("config");
  return base::WithContext("[upgrade/upgrade config] FATAL", [&] {
    return path.empty() ? config::CompleteUpgrade({})
                        : config::LoadUpgrade(node_input::ReadSource(host, path));
  });
}

std::string SuccessLine(const std::string& version) {
  return fmt::format("[upgrade] SUCCESS! A control plane node of your cluster was upgraded to {}.",
                     base::Quoted(version));
}

bool Chosen(const cli::Parsed& flags, std::string_view name, std::optional<bool> configured) {
  return flags.Changed(name) ? flags.Bool(name) : configured.value_or(false);
}

std::string ChosenVersion(const cli::Parsed& flags, const std::string& configured) {
  const std::vector<std::string>& words = flags.args();
  if (words.size() > 1) {
    base::LogWarning("only one version can be named, so none of these is used: {}",
                     base::Join(words, " "));
  }
  return words.size() == 1 ? words.front() : configured;
}

std::shared_ptr<kube::Transport> UpgradeTransport(const std::string& kubeconfig,
                                                  const host::Host& host) {
  return base::WithContext(
      "the cluster cannot be reached (--kubeconfig names the file to reach it with)",
      [&]() -> std::shared_ptr<kube::Transport> {
        return kubeconfigs::ConnectBy(host, kubeconfig);
      });
}

}  // namespace kubeadm
