#include "kubeadm/upgrade/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "config/load.h"
#include "config_input/gather.h"
#include "kubeconfigs/connect.h"

namespace kubeadm {
namespace {

using cli::FlagType;

const std::vector<cli::Flag>& AllFlags() {
  static const std::vector<cli::Flag> flags = {
      {.name = "allow-experimental-upgrades",
       .type = FlagType::kBool,
       .help = "Allow alpha, beta and candidate versions of Kubernetes as target"},
      {.name = "allow-release-candidate-upgrades",
       .type = FlagType::kBool,
       .help = "Allow candidate versions of Kubernetes as target"},
      {.name = "certificate-renewal",
       .type = FlagType::kBool,
       .default_text = "true",
       .help = "Renew the certificates of what is upgraded"},
      {.name = "config", .help = "A file with an UpgradeConfiguration"},
      {.name = "dry-run",
       .type = FlagType::kBool,
       .help = "Show what would be done, and change nothing"},
      {.name = "etcd-upgrade",
       .type = FlagType::kBool,
       .default_text = "true",
       .help = "Upgrade etcd, too, where it runs as a static Pod"},
      {.name = "ignore-preflight-errors",
       .type = FlagType::kList,
       .help = "Checks whose errors are shown as warnings (\"CreateJob,CoreDNSMigration\"), or "
               "\"all\""},
      {.name = "kubeconfig",
       .default_text = "/etc/kubernetes/admin.conf",
       .help = "The kubeconfig file to talk to the cluster with"},
      {.name = "patches",
       .help = "A folder with patches of the manifests and of the kubelet's configuration, named "
               "\"target[suffix][+patchtype].extension\""},
      {.name = "print-config",
       .type = FlagType::kBool,
       .help = "Print the cluster's configuration, complete, before going on"},
      {.name = "skip-phases", .type = FlagType::kList, .help = "Phases to leave out"},
  };
  return flags;
}

}  // namespace

std::vector<cli::Flag> UpgradeFlags(std::initializer_list<std::string_view> names) {
  std::vector<cli::Flag> chosen;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(AllFlags(), name, &cli::Flag::name);
    if (found == AllFlags().end()) {
      throw std::logic_error("no flag of upgrade: " + std::string(name));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

config::UpgradeConfiguration LoadUpgradeConfig(const cli::Parsed& flags, const host::Host& host) {
  config::RefuseMixedArguments(flags.ChangedNames());
  return ReadUpgradeConfig(flags, host);
}

config::UpgradeConfiguration ReadUpgradeConfig(const cli::Parsed& flags, const host::Host& host) {
  const std::string& path = flags.Text("config");
  return base::WithContext("[upgrade/upgrade config] FATAL", [&] {
    return path.empty() ? config::CompleteUpgrade({})
                        : config::LoadUpgrade(config_input::ReadSource(host, path));
  });
}

bool Chosen(const cli::Parsed& flags, std::string_view name, std::optional<bool> configured) {
  return flags.Changed(name) ? flags.Bool(name) : configured.value_or(false);
}

std::string ChosenVersion(const cli::Parsed& flags, const std::string& configured) {
  const std::vector<std::string>& words = flags.args();
  if (words.size() > 1) {
    base::LogWarning("one version can be named, none of these counts: {}", base::Join(words, " "));
  }
  return words.size() == 1 ? words.front() : configured;
}

std::shared_ptr<kube::Transport> UpgradeTransport(const std::string& kubeconfig,
                                                  const host::Host& host) {
  return base::WithContext(
      "the cluster cannot be talked to (--kubeconfig names the file to do so with)",
      [&]() -> std::shared_ptr<kube::Transport> {
        return kubeconfigs::ConnectBy(host, kubeconfig);
      });
}

}  // namespace kubeadm
