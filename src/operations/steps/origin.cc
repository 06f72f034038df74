// SPDX-License-Identifier: Apache-2.0
#include "steps/origin.h"

#include <fmt/core.h>

#include <string>

#include "base/error.h"
#include "base/problems.h"
#include "base/strings.h"
#include "config/marshal.h"
#include "kubelet/node_config.h"

namespace steps {
namespace {

config::NodeRegistration WithoutIgnored(config::NodeRegistration registration) {
  registration.ignore_preflight_errors.clear();
  return registration;
}

bool HasStartedKubelet(const workflow::Journal& journal) {
  return journal.earlier_files().contains(std::string(kubelet::kConfigFile));
}

}  // namespace

workflow::Origin OriginOf(const config::Init& config, const node_input::PatchSet& patches) {
  config::InitConfiguration node;
  node.node_registration = WithoutIgnored(config.init.node_registration);
  node.local_api_endpoint = config.init.local_api_endpoint;
  const config::Networking& networking = config.cluster.networking;
  workflow::Origin origin{
      .config = config::Marshal(node) + config::Marshal(config.cluster),
      .settings = {{"localAPIEndpoint.advertiseAddress", node.local_api_endpoint.advertise_address},
                   {"networking.serviceSubnet", networking.service_subnet},
                   {"nodeRegistration.name", node.node_registration.name}}};
  // A cluster without a Pod network can still get one, so an empty podSubnet is not a fixed
  // setting.
  if (!networking.pod_subnet.empty()) {
    origin.settings["networking.podSubnet"] = networking.pod_subnet;
  }
  for (const node_input::PatchSet::Patch& patch : patches.patches) {
    origin.config += fmt::format("{} {} {}\n", patch.target, static_cast<int>(patch.type),
                                 patch.document.dump());
  }
  return origin;
}

workflow::Origin OriginOf(const config::JoinConfiguration& join) {
  config::JoinConfiguration node;
  node.node_registration = WithoutIgnored(join.node_registration);
  node.ca_cert_path = join.ca_cert_path;
  node.discovery = join.discovery;
  node.discovery.tls_bootstrap_token.clear();
  if (node.discovery.bootstrap_token) {
    node.discovery.bootstrap_token->token.clear();
  }
  if (join.control_plane) {
    node.control_plane.emplace().local_api_endpoint = join.control_plane->local_api_endpoint;
  }
  return {.config = config::Marshal(node),
          .settings = {
              {std::string(kRole), std::string(join.control_plane ? kControlPlane : kWorker)}}};
}

void RequireSameSettings(const workflow::Journal& journal) {
  base::Problems problems;
  for (const auto& [name, earlier] : journal.earlier_settings()) {
    const auto found = journal.settings().find(name);
    const std::string now = found == journal.settings().end() ? "" : found->second;
    const bool lasts = name == kRole ? earlier == kControlPlane : HasStartedKubelet(journal);
    if (now != earlier && lasts) {
      problems.Add(
          name, fmt::format("it was {}, and is {} now", base::Quoted(earlier), base::Quoted(now)));
    }
  }
  base::WithContext(
      "a previous run was not finished, and these settings of it cannot change any more; run the "
      "command with the same settings, or undo that run first with \"kubeadm reset\"",
      [&] { problems.ThrowIfAny(); });
}

}  // namespace steps
