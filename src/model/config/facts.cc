// SPDX-License-Identifier: Apache-2.0
#include "config/facts.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/component_configs.h"
#include "config/taints.h"

namespace config {
namespace {

enum class Role { kControlPlane, kWorker };

void SetSocket(std::string& socket, const Facts& facts, CriSocketChoice choice) {
  constexpr std::string_view kScheme = "unix";
  if (socket.empty()) {
    const bool detect = choice == CriSocketChoice::kDetect && facts.cri_sockets;
    socket = detect ? ChooseCriSocket(facts.cri_sockets()) : std::string(kContainerdSocket);
  } else if (!socket.starts_with(kScheme)) {
    base::LogWarning(
        "criSocket \"{}\" has no URL scheme, which is deprecated: putting \"unix://\" before it; "
        "please change the configuration",
        socket);
    socket = "unix://" + socket;
  }
}

void SetNode(NodeRegistration& node, Role role, const Facts& facts, CriSocketChoice choice) {
  node.name = NodeName(node.name.empty() ? facts.hostname : node.name);
  if (node.name.empty()) {
    throw base::Error(base::Error::Kind::kInvalid, "the host has no name to give to the node");
  }
  SetSocket(node.cri_socket, facts, choice);
  if (role == Role::kControlPlane && !node.taints) {
    node.taints = {ControlPlaneTaint()};
  }
}

// The default fetch function, which fails.
std::string FetchNothing(const std::string& url) {
  throw base::Error(base::Error::Kind::kUnavailable, "no network to get " + url);
}

void SetVersion(ClusterConfiguration& cluster, const Facts& facts) {
  const ResolvedVersion resolved = ResolveVersion(
      cluster.kubernetes_version, facts.fetch ? facts.fetch : Fetch(FetchNothing), facts.kubeadm);
  CheckControlPlaneVersion(resolved.version);
  cluster.kubernetes_version = resolved.version;
  cluster.ci_kubernetes_version = resolved.ci_version;
}

void SetEndpoint(std::string& endpoint, const ApiEndpoint& local) {
  if (endpoint.empty()) {
    return;
  }
  CheckControlPlaneEndpoint(endpoint);
  net::HostPort parts = ReadEndpoint(endpoint);
  if (parts.port.empty()) {
    parts.port = std::to_string(local.bind_port);
    endpoint = parts.Text();
  }
}

}  // namespace

std::string NodeName(const std::string& hostname) { return base::ToLower(base::Trim(hostname)); }

std::string ChooseCriSocket(std::span<const std::string> existing) {
  if (existing.empty()) {
    return std::string(kContainerdSocket);
  }
  if (existing.size() > 1) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("found several container runtimes on the host: {}; say which to "
                                  "use by \"criSocket\" in the configuration or --cri-socket",
                                  base::Join(existing, ", ")));
  }
  return existing.front();
}

void SetClusterDynamicDefaults(ClusterConfiguration& cluster, const ApiEndpoint& local,
                               const Facts& facts) {
  SetVersion(cluster, facts);
  SetEndpoint(cluster.control_plane_endpoint, local);
  for (std::string& san : cluster.api_server.cert_sans) {
    san = base::ToLower(san);
  }
}

void SetNodeDynamicDefaults(InitConfiguration& init, const Facts& facts, CriSocketChoice choice) {
  for (BootstrapToken& token : init.bootstrap_tokens) {
    if (token.token.empty() && facts.random) {
      token.token = NewToken(facts.random);
    }
  }
  SetNode(init.node_registration, Role::kControlPlane, facts, choice);
}

void SetAddressDynamicDefault(ApiEndpoint& endpoint, const Facts& facts) {
  endpoint.advertise_address = ChooseAdvertiseAddress(
      endpoint.advertise_address, facts.network ? facts.network() : NetworkFacts{});
}

void SetDynamicDefaults(Init& config, const Facts& facts, CriSocketChoice choice) {
  SetNodeDynamicDefaults(config.init, facts, choice);
  SetAddressDynamicDefault(config.init.local_api_endpoint, facts);
  SetClusterDynamicDefaults(config.cluster, config.init.local_api_endpoint, facts);
}

void SetDynamicDefaults(JoinConfiguration& join, const Facts& facts, CriSocketChoice choice) {
  SetNode(join.node_registration, join.control_plane ? Role::kControlPlane : Role::kWorker, facts,
          choice);
  if (join.control_plane) {
    SetAddressDynamicDefault(join.control_plane->local_api_endpoint, facts);
  }
}

void SetDynamicDefaults(ResetConfiguration& reset, const Facts& facts, CriSocketChoice choice) {
  SetSocket(reset.cri_socket, facts, choice);
}

}  // namespace config
