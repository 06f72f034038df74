// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/find.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "config/kubernetes_version.h"
#include "config/version.h"
#include "node_input/config_facts.h"
#include "stored_config/this_node.h"
#include "upgrade/policy.h"
#include "upgrade_path/gather.h"

namespace upgrade_path {
namespace {

base::Version Wanted(const std::string& wanted, const config::Facts& facts) {
  return wanted.empty()
             ? config::KubeadmVersion()
             : base::Version::Parse(
                   config::ResolveVersion(wanted, facts.fetch, config::KubeadmVersion()).version)
                   .value();
}

std::optional<std::vector<base::Version>> Versions(const std::vector<KubeletProgram>& programs) {
  if (programs.empty()) {
    return std::nullopt;
  }
  std::vector<base::Version> versions;
  std::ranges::transform(programs, std::back_inserter(versions), &KubeletProgram::version);
  return versions;
}

}  // namespace

PathAnswer FindPath(const PathRequest& request) {
  request.client.Retry("the cluster does not answer",
                       [&] { control_plane::CollectApiServerVersion(request.client); });
  const config::Facts facts = node_input::CollectFacts(request.host);
  const stored_config::FetchedConfig fetched =
      stored_config::FetchConfig(request.client, request.host.files,
                                 {.facts = facts, .cri_socket = config::CriSocketChoice::kAssume});
  PathFacts known = CollectPathFacts({.host = request.host,
                                      .client = request.client,
                                      .config = fetched.config,
                                      .stored = fetched.stored,
                                      .wanted = Wanted(request.options.version, facts),
                                      .own_kubelets = Versions(request.kubelets),
                                      .kubelet_command = request.kubelet_command,
                                      .upgrades_etcd = request.options.upgrades_etcd,
                                      .renews_certificates = request.options.renews_certificates,
                                      .patches = request.options.patches});
  known.allowed = request.options.allowed;
  known.ignored_checks = request.options.ignored_checks;
  return {.plan = PlanPath(known), .node = known.node};
}

}  // namespace upgrade_path
