// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/command_line.h"

#include <algorithm>
#include <stdexcept>

namespace kubeadm {
namespace {

using cli::FlagType;

const std::vector<cli::Flag>& CommonRows() {
  static const std::vector<cli::Flag> rows = {
      {.name = "cert-dir",
       .default_text = "/etc/kubernetes/pki",
       .help = "The directory of the certificates"},
      {.name = "config", .help = "Path to a configuration file of kubeadm"},
      {.name = "cri-socket",
       .help = "The socket of the container runtime; found by itself when there is only one"},
      Switch("dry-run", "Show what would be done, and change nothing"),
      {.name = "ignore-preflight-errors",
       .type = FlagType::kList,
       .help = "Checks whose errors count as warnings, such as 'IsPrivilegedUser,Swap'; 'all' for "
               "all of them"},
      {.name = "image-repository",
       .default_text = "registry.k8s.io",
       .help = "The registry of the control plane's images"},
      {.name = "kubeconfig",
       .default_text = "/etc/kubernetes/admin.conf",
       .help = "The kubeconfig file to talk to the cluster with"},
      {.name = "kubernetes-version",
       .default_text = "stable-1",
       .help = "The version of Kubernetes for the control plane"},
      {.name = "node-name", .help = "The name of this node"},
      {.name = "output",
       .shorthand = 'o',
       .default_text = "text",
       .help = "'text' for people, 'json' for one JSON event a line (docs/events.md)",
       .beyond_upstream = true},
      {.name = "patches",
       .help = "A directory of patches for manifests and configurations, named "
               "'target[suffix][+patchtype].extension', such as 'kube-apiserver0+merge.yaml'"},
      {.name = "skip-phases", .type = FlagType::kList, .help = "Phases to leave out"},
      {.name = "yes",
       .shorthand = 'y',
       .type = FlagType::kBool,
       .help = "Do not ask for confirmation"}};
  return rows;
}

}  // namespace

std::vector<cli::Flag> CommonFlags(std::initializer_list<std::string_view> names) {
  std::vector<cli::Flag> chosen;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(CommonRows(), name, &cli::Flag::name);
    if (found == CommonRows().end()) {
      throw std::logic_error("no flag of several commands: " + std::string(name));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

cli::Flag Switch(std::string name, std::string help) {
  return {.name = std::move(name), .type = FlagType::kBool, .help = std::move(help)};
}

cli::Flag KeepFlag() {
  cli::Flag keep = Switch("keep",
                          "Leave the keys of the certificate authorities that a dry run has in its "
                          "directory");
  keep.beyond_upstream = true;
  return keep;
}

std::vector<cli::Flag> ByName(std::vector<cli::Flag> flags) {
  std::ranges::sort(flags, {}, &cli::Flag::name);
  return flags;
}

config::CriSocketChoice SocketChoice(const cli::Parsed& flags) {
  return flags.Offers("cri-socket") ? config::CriSocketChoice::kDetect
                                    : config::CriSocketChoice::kAssume;
}

std::string PatchesDirectory(const cli::Parsed& flags,
                             const std::optional<config::Patches>& configured) {
  const std::string& given = flags.Text("patches");
  return given.empty() && configured ? configured->directory : given;
}

std::unique_ptr<steps::World> WorldBy(const cli::Parsed& flags, host::Host& machine) {
  return steps::ChooseWorld(machine, flags.Offers("dry-run") && flags.Bool("dry-run"), {});
}

}  // namespace kubeadm
