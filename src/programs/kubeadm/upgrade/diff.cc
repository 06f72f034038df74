// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/version.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/flags.h"
#include "node_input/config_facts.h"
#include "print/unified.h"
#include "static_pods/static_pod.h"
#include "stored_config/fetch.h"
#include "stored_config/this_node.h"
#include "upgrade/new_manifests.h"
#include "upgrade/policy.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::chrono::milliseconds kPatience{10'000};
constexpr const char* kContextLines = "context-lines";

config::Init FetchConfig(const cli::Parsed& flags, host::Host& host) {
  kube::Client client(UpgradeTransport(flags.Text("kubeconfig"), host), host.clock,
                      {.limit = kPatience, .grace = std::chrono::milliseconds(0)},
                      host.signals.Interrupt());
  base::WithContext("the cluster does not answer",
                    [&] { return control_plane::CollectApiServerVersion(client); });
  return stored_config::FetchConfig(client, host.files,
                                    {.facts = node_input::CollectFacts(host),
                                     .cri_socket = config::CriSocketChoice::kAssume,
                                     .components = stored_config::ComponentConfigs::kOmit})
      .config;
}

// Sets the version that the user has given. It must be a version and not a label, and the images'
// tags get the same spelling.
void SetVersion(config::ClusterConfiguration& cluster, const std::string& wanted) {
  if (!base::Version::Parse(base::Trim(wanted))) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{} is not a version such as {}: a label such as stable is not allowed",
                            base::Quoted(wanted), config::kKubeadmVersion));
  }
  cluster.kubernetes_version = wanted;
}

void Diff(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  std::ostream& out = invocation.streams.out;
  const config::UpgradeConfiguration configured = LoadUpgradeConfig(flags, host);
  upgrade::RequireManifests(host.files);
  config::Init config = FetchConfig(flags, host);
  const std::string wanted = ChosenVersion(flags, configured.diff.kubernetes_version);
  if (!wanted.empty() || flags.args().size() == 1) {
    SetVersion(config.cluster, wanted);
  }
  const int context = flags.Changed(kContextLines) ? static_cast<int>(flags.Int(kContextLines))
                                                   : configured.diff.context_lines;
  bool differ = false;
  const upgrade::NewManifests fresh = upgrade::FindNewManifests(config, host);
  if (fresh.etcd_left_out) {
    base::LogWarning("[upgrade/diff] etcd is left out: {}", *fresh.etcd_left_out);
  }
  for (const auto& [component, text] : fresh.manifests) {
    const host::fs::path path = components::ManifestPath(component);
    const std::string difference = print::Unified(
        host.files.Read(path), text, {.from = path.string(), .to = "new manifest"}, context);
    out << difference;
    differ = differ || !difference.empty();
  }
  if (!differ) {  // only for humans: programs read an empty difference
    invocation.streams.err << fmt::format(
        "[upgrade/diff] The manifests of the control plane are those of {} already\n",
        config.cluster.kubernetes_version);
  }
}

}  // namespace

cli::Command UpgradeDiffCommand(host::Host& host) {
  return Made({.name = "diff",
               .summary = "Show how an upgrade would change the control plane's manifests",
               .text = "upgrade-diff",
               .flags = Joined(UpgradeFlags({"config", "kubeconfig"}),
                               {{.name = kContextLines,
                                 .shorthand = 'c',
                                 .type = cli::FlagType::kInt,
                                 .default_text = "3",
                                 .help = "Lines around each change; without this flag the "
                                         "number in the configuration, or none"}}),
               .usage_args = "[version]",
               .max_args = cli::kAnyNumber,
               .run = Diff},
              host);
}

}  // namespace kubeadm
