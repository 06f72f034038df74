// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/path_question.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "config/kubernetes_version.h"
#include "config/version.h"
#include "config_input/gather.h"
#include "kubeadm/upgrade/config.h"
#include "upgrade/policy.h"
#include "upgrade/this_node.h"
#include "upgrade_path/gather.h"

namespace kubeadm {
namespace {

base::Version Wanted(const cli::Parsed& flags, const std::string& configured,
                     const config::Facts& facts) {
  const std::string wanted = ChosenVersion(flags, configured);
  return wanted.empty()
             ? config::KubeadmVersion()
             : base::Version::Parse(
                   config::ResolveVersion(wanted, facts.fetch, config::KubeadmVersion()).version)
                   .value();
}

std::optional<std::vector<base::Version>> Versions(
    const std::vector<upgrade_path::KubeletProgram>& programs) {
  if (programs.empty()) {
    return std::nullopt;
  }
  std::vector<base::Version> versions;
  std::ranges::transform(programs, std::back_inserter(versions),
                         &upgrade_path::KubeletProgram::version);
  return versions;
}

}  // namespace

kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host) {
  return kube::Client(UpgradeTransport(flags.Text("kubeconfig"), host), host.clock, {},
                      host.signals.Interrupt());
}

PathAnswer FindPath(const cli::Parsed& flags, const std::string& wanted, host::Host& host,
                    kube::Client& client) {
  PathAnswer answer;
  const std::string& directory = flags.Text("node-packages");
  if (!directory.empty()) {
    answer.programs = base::WithContext(
        "--node-packages", [&] { return upgrade_path::FindKubelets(host, directory); });
  }
  base::WithContext("the cluster does not answer",
                    [&] { return upgrade::ApiServerVersion(client); });
  const config::Facts facts = config_input::GatherFacts(host);
  const upgrade::FetchedConfig fetched = upgrade::FetchConfig(
      client, host.files, {.facts = facts, .cri_socket = config::CriSocketChoice::kAssume});
  const upgrade_path::PathFacts known = upgrade_path::GatherPathFacts(
      {.host = host,
       .client = client,
       .config = fetched.config,
       .stored = fetched.stored,
       .wanted = Wanted(flags, wanted, facts),
       .own_kubelets = Versions(answer.programs),
       .kubelet_command = !flags.Text("upgrade-kubelet-command").empty()});
  answer.node = known.node;
  answer.plan = upgrade_path::PlanPath(known);
  return answer;
}

}  // namespace kubeadm
