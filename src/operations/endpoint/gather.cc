// SPDX-License-Identifier: Apache-2.0
#include "endpoint/gather.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "config/validation.h"
#include "http/client.h"
#include "json/rfc3339.h"
#include "kube/connection.h"
#include "kube/kubeconfig.h"
#include "kube/objects.h"
#include "kubeconfigs/connect.h"
#include "kubeconfigs/load.h"
#include "kubeconfigs/specs.h"
#include "node_input/config_facts.h"
#include "objects/mirror_pod.h"
#include "static_pods/static_pod.h"
#include "stored_config/this_node.h"

namespace endpoint {
namespace {

namespace fs = host::fs;
namespace resources = kube::resources;
using base::Error;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{60'000};
constexpr milliseconds kKnock{5'000};  // for one query to an API server, which may be down
constexpr const char* kEverywhere = "kubernetes";  // a name in every API server's certificate

fs::path PathOf(std::string_view file) { return fs::path(config::kKubernetesDir) / file; }

// Returns the URL of this node's API server, according to its manifest.
std::string LocalUrl(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
  return pod ? static_pods::AdvertisedEndpointOf(*pod).Url() : "";
}

void AddFiles(const host::Files& files, EndpointFacts& seen) {
  for (const kubeconfigs::KubeconfigSpec& spec : kubeconfigs::InitSpecs()) {
    const fs::path path = PathOf(spec.file);
    if (!files.Exists(path) || (!seen.control_plane && spec.file != config::kKubeletConf)) {
      continue;
    }
    const kube::Kubeconfig conf =
        base::WithContext(path.string(), [&] { return kube::Kubeconfig::Parse(files.Read(path)); });
    if (const kube::KubeconfigCluster* cluster = conf.CurrentCluster()) {
      seen.files.push_back({.path = path, .server = cluster->server});
    }
  }
}

// Returns the server in the kubeconfig of a ConfigMap; std::nullopt if the ConfigMap or its server
// is missing.
std::optional<std::string> ServerIn(kube::Client& client, const kube::ObjectName& name,
                                    const char* key) {
  const auto object = client.Find({resources::kConfigMap, name.name_space, name.name});
  const std::string text = object ? json::TextAt(*object, {"data", key}) : "";
  if (text.empty()) {
    return std::nullopt;
  }
  const kube::Kubeconfig conf = kube::Kubeconfig::Parse(text);
  const kube::KubeconfigCluster* cluster = conf.PublicCluster();
  return cluster == nullptr ? std::nullopt : std::optional(cluster->server);
}

void AddObjects(kube::Client& client, EndpointFacts& seen) {
  seen.record = FindRecord(client);
  seen.cluster_info_server =
      ServerIn(client, {kube::kPublicNamespace, "cluster-info"}, "kubeconfig");
  seen.proxy_server = ServerIn(client, {kube::kSystemNamespace, "kube-proxy"}, "kubeconfig.conf");
  if (const auto set = client.Find({resources::kDaemonSet, "kube-system", "kube-proxy"})) {
    const auto at =
        json::ParseRfc3339(json::TextAt(*set, {"spec", "template", "metadata", "annotations",
                                               "kubectl.kubernetes.io/restartedAt"}));
    seen.proxy_restarted = at.value_or(std::chrono::sys_seconds{});
  }
}

// An API server of the control plane.
struct ApiServer {
  std::string node;
  // The server's endpoint, "10.0.0.10:6443". "" if its Pod is not in the API yet.
  std::string endpoint;
};

std::vector<ApiServer> OtherApiServers(const CollectDeps& deps, const EndpointFacts& seen) {
  objects::NodeNames nodes = objects::CollectControlPlaneNodes(deps.client);
  nodes.erase(seen.config.init.node_registration.name);
  std::map<std::string, std::string> endpoints;  // by node
  for (const std::string& node : nodes) {
    endpoints.try_emplace(node);
  }
  for (const auto& [node, pod] :
       objects::CollectControlPlanePods(deps.client, components::Component::kApiServer, nodes)) {
    endpoints[node] = static_pods::AdvertisedEndpointOf(pod).text;
  }
  std::vector<ApiServer> others;
  for (auto& [node, endpoint] : endpoints) {
    others.push_back({.node = node, .endpoint = std::move(endpoint)});
  }
  return others;
}

// Returns whether an API server may answer a client without credentials with this status code,
// whatever the permissions of anonymous users.
bool IsApiServers(int status) {
  constexpr std::array kAnswers{200, 401, 403};
  return std::ranges::contains(kAnswers, status);
}

// Returns why no API server of this cluster answers at that address and name; std::nullopt if one
// answers. Sends no credentials, because the address may come from an object of the cluster. The
// server's certificate identifies the server.
std::optional<base::Error> Knock(const CollectDeps& deps, const EndpointFacts& seen,
                                 const std::string& url, const std::string& name) {
  try {
    const kube::Kubeconfig conf = kubeconfigs::LoadKubeconfig(
        deps.host.files, PathOf(seen.control_plane ? config::kAdminConf : config::kKubeletConf));
    const kube::KubeconfigCluster* known = conf.CurrentCluster();
    kube::KubeconfigCluster cluster = known == nullptr ? kube::KubeconfigCluster{} : *known;
    cluster.server = url;
    cluster.tls_server_name = name;
    const kube::Connection connection = kube::ConnectionOf(cluster, kube::KubeconfigUser{}, {});
    http::Request request = kube::NewRequest(connection, "/version");
    request.timeout = kKnock;
    request.connect_timeout = kKnock;
    request.stop = deps.stop;
    const int status = http::Client(connection.tls).Do(request).status;
    return IsApiServers(status)
               ? std::nullopt
               : std::optional(Error(Error::Kind::kUnavailable,
                                     fmt::format("{} answers with status {}", url, status)));
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace

kube::Client ClientHere(const host::Host& host, const std::optional<net::HostPort>& by) {
  const kube::RetryPolicy retry{.limit = kPatience};
  const std::string local = LocalUrl(host.files);
  const std::string given = by ? UrlOf(by->Text()) : "";
  return base::WithContext("the cluster cannot be queried from this machine", [&] {
    return kube::Client(kubeconfigs::ConnectBy(
                            host, PathOf(local.empty() ? config::kKubeletConf : config::kAdminConf),
                            {.server_override = local.empty() ? given : local}),
                        host.clock, retry, host.signals.Interrupt());
  });
}

EndpointFacts CollectFacts(const CollectDeps& deps) {
  const stored_config::Role role = stored_config::RoleOf(deps.host.files);
  EndpointFacts seen{.control_plane = role == stored_config::Role::kControlPlane,
                     .config = {},
                     .files = {},
                     .mark = {},
                     .now = deps.host.clock.NowSeconds(),
                     .names = {},
                     .unprepared = {},
                     .cluster_info_server = {},
                     .proxy_server = {}};
  const config::Facts facts = node_input::CollectFacts(deps.host);
  seen.config = stored_config::FetchConfig(deps.client, deps.host.files,
                                           {.facts = facts,
                                            .role = role,
                                            .cri_socket = config::CriSocketChoice::kAssume,
                                            .components = stored_config::ComponentConfigs::kOmit})
                    .config;
  AddFiles(deps.host.files, seen);
  seen.mark = MarkOf(deps.client, seen.config.init.node_registration.name);
  if (seen.control_plane) {
    seen.names =
        certs::LoadChain(deps.host.files,
                         certs::CertPath(seen.config.cluster.certificates_dir, "apiserver"))
            .front()
            .alt_names();
    deps.client.Retry("the cluster's objects could not be read",
                      [&] { AddObjects(deps.client, seen); });
  }
  return seen;
}

net::HostPort Target(const std::string& given, const EndpointFacts& seen) {
  const std::string& stored = seen.config.cluster.control_plane_endpoint;
  std::string text = given;
  if (text.empty()) {
    text = seen.record ? seen.record->endpoint : stored;
  }
  if (text.empty()) {
    throw Error(Error::Kind::kUsage,
                "the cluster has no endpoint yet: give the new one, HOST:PORT, on a "
                "control plane");
  }
  config::ClusterConfiguration cluster = seen.config.cluster;
  cluster.control_plane_endpoint = text;
  config::CheckControlPlaneEndpoint(base::ToLower(text));
  config::Validate(cluster).ThrowIfAny();
  net::HostPort to = config::ReadEndpoint(text);
  to.host = base::ToLower(to.host);
  if (to.port.empty()) {
    to.port = fmt::format("{}", seen.config.init.local_api_endpoint.bind_port);
  }
  if (!seen.control_plane && !stored.empty() &&
      UrlOf(to.Text()) != config::ControlPlaneEndpointUrl(seen.config.cluster,
                                                          seen.config.init.local_api_endpoint)) {
    throw Error(
        Error::Kind::kUsage,
        fmt::format("the cluster's endpoint is {}, not {}: change it on a control plane first",
                    stored, to.Text()));
  }
  if (!seen.control_plane && stored.empty()) {
    throw Error(Error::Kind::kUsage,
                "the cluster has no endpoint: set one on a control plane first");
  }
  return to;
}

std::vector<std::string> Unprepared(const CollectDeps& deps, const EndpointFacts& seen,
                                    const std::string& name) {
  std::vector<std::string> unprepared;
  for (const ApiServer& server : OtherApiServers(deps, seen)) {
    if (server.endpoint.empty()) {
      unprepared.push_back(
          fmt::format("{}, whose API server is not among the Pods yet", server.node));
    } else if (const auto problem = Knock(deps, seen, UrlOf(server.endpoint), name)) {
      unprepared.push_back(fmt::format("{}, whose API server does not serve {} yet: {}",
                                       server.node, name, problem->message()));
    }
  }
  return unprepared;
}

std::vector<std::string> Serving(const CollectDeps& deps, const EndpointFacts& seen,
                                 const std::vector<std::string>& names) {
  std::vector<std::string> serving;
  for (const ApiServer& server : OtherApiServers(deps, seen)) {
    const std::string own =
        server.endpoint.empty() ? "" : config::ReadEndpoint(server.endpoint).host;
    const bool serves = std::ranges::any_of(names, [&](const std::string& name) {
      if (name == own || name == server.node) {
        return false;
      }
      if (server.endpoint.empty()) {
        return true;
      }
      const auto problem = Knock(deps, seen, UrlOf(server.endpoint), name);
      return !problem || problem->kind() != Error::Kind::kUnauthorized;
    });
    if (serves) {
      serving.push_back(server.node);
    }
  }
  return serving;
}

std::optional<std::string> Unreachable(const CollectDeps& deps, const EndpointFacts& seen,
                                       const net::HostPort& to) {
  const auto problem =
      Knock(deps, seen, UrlOf(to.Text()), seen.control_plane ? kEverywhere : std::string());
  return problem ? std::optional(problem->message()) : std::nullopt;
}

void RequireReachable(const CollectDeps& deps, const EndpointFacts& seen, const net::HostPort& to) {
  if (const auto problem = Unreachable(deps, seen, to)) {
    throw base::Error(
        base::Error::Kind::kUnavailable,
        fmt::format("{} does not reach this cluster: {}; point it to the API servers of "
                    "the control plane first, or continue with --ignore-unreachable; nothing was "
                    "changed",
                    to.Text(), *problem));
  }
}

std::string Close(const CollectDeps& deps, const EndpointFacts& seen, const ChangeRecord& record,
                  const Ending& ending) {
  std::vector<std::string> serving = Serving(deps, seen, record.names);
  std::erase_if(serving,
                [&](const std::string& node) { return std::ranges::contains(ending.left, node); });
  if (!ending.force && !serving.empty()) {
    return fmt::format(
        "Still valid for {}: the certificates of the API servers of {}. Run 'kubeadm "
        "endpoint finish' there",
        base::Join(record.names, ", "), base::Join(serving, ", "));
  }
  RemoveRecord(deps.client, record);
  return fmt::format(
      "Finished. The endpoint is {}; users must change the kubeconfig files that name {}",
      record.endpoint, record.previous);
}

}  // namespace endpoint
