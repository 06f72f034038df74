// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/error.h"
#include "config/difference.h"
#include "config/load.h"
#include "config/version.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubeadm/token/cluster.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"
#include "stored_config/fetch.h"

namespace kubeadm {
namespace {

constexpr std::chrono::milliseconds kPatience{10'000};

config::ClusterConfiguration LoadCluster(const cli::Parsed& flags, host::Host& host,
                                         const config::ApiEndpoint& endpoint) {
  return base::WithContext("couldn't read the cluster's configuration", [&] {
    kube::Client client = kubeconfigs::ClientBy(host, TokenKubeconfigPath(flags, host), kPatience);
    return stored_config::LoadClusterConfig(client, endpoint, node_input::CollectFacts(host))
        .cluster;
  });
}

bool NamesVersion(const config::Source& source) {
  const std::vector<config::Document> documents = config::ReadDocuments(source);
  const config::Document* cluster = config::FindDocument(documents, "ClusterConfiguration");
  return cluster != nullptr && !json::At(cluster->yaml.value, {"kubernetesVersion"}).is_null();
}

void Diff(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  if (invocation.flags.args().empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "name the configuration file to compare: kubeadm config diff FILE");
  }
  const config::Source source = node_input::ReadSource(host, invocation.flags.args().front());
  const bool names_version = NamesVersion(source);
  config::Facts facts = node_input::CollectFacts(host);
  if (!names_version) {  // the cluster's version is used, and no version is looked up
    facts.fetch = [](const std::string&) { return std::string(config::kKubeadmVersion); };
  }
  config::Init file =
      config::LoadInit(source, facts, {.cri_socket = config::CriSocketChoice::kAssume});
  const config::ClusterConfiguration cluster =
      LoadCluster(invocation.flags, host, file.init.local_api_endpoint);
  if (!names_version) {
    file.cluster.kubernetes_version = cluster.kubernetes_version;
  }
  const std::vector<config::Difference> differences = config::Differences(cluster, file.cluster);
  output.Show(differences);
  if (!differences.empty() && invocation.flags.Bool("exit-code")) {
    throw base::Error(fmt::format("{} fields differ", differences.size()));
  }
}

}  // namespace

cli::Command DiffCommand(host::Host& host) {
  return Made({.name = "diff",
               .summary = "Compare a configuration file with the cluster",
               .text = "config-diff",
               .flags = WithPrinter({Switch("exit-code", "Fail when there are differences")}),
               .usage_args = "FILE",
               .max_args = 1,
               .beyond_upstream = true,
               .run = Diff},
              host);
}

}  // namespace kubeadm
