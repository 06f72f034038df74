// SPDX-License-Identifier: Apache-2.0
#include "stored_config/this_node.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubeconfigs/load.h"
#include "kubelet/local_runtime.h"
#include "objects/mirror_pod.h"
#include "pki/certificate.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace stored_config {
namespace {

using base::Error;
namespace fs = std::filesystem;

constexpr std::string_view kUserPrefix = "system:node:";
constexpr const char* kUsualPort = "6443";
constexpr std::string_view kSocketAnnotation = "kubeadm.alpha.kubernetes.io/cri-socket";
constexpr kube::Resource kSelfReview{"authentication.k8s.io", "v1", "selfsubjectreviews",
                                     "SelfSubjectReview", false};

// Returns the part after "system:node:"; std::nullopt if the user is not a node.
std::optional<std::string> NodeOfUser(std::string_view user) {
  return user.starts_with(kUserPrefix) ? std::optional(std::string(user.substr(kUserPrefix.size())))
                                       : std::nullopt;
}

std::optional<std::string> NameInCertificate(const kube::Kubeconfig& config) {
  const kube::KubeconfigUser* user = config.CurrentUser();
  if (user == nullptr || user->client_certificate_data.empty()) {
    return std::nullopt;
  }
  return NodeOfUser(pki::Certificate::FromPem(user->client_certificate_data).subject().common_name);
}

std::optional<std::string> NameByReview(const kube::Kubeconfig& config) {
  try {
    const json::Value review =
        kube::MakeHttpTransport(config, {})
            ->Do({.verb = kube::Verb::kCreate,
                  .resource = kSelfReview,
                  .body = {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", kSelfReview.kind}}},
                 {});
    return NodeOfUser(json::TextAt(review, {"status", "userInfo", "username"}));
  } catch (const Error& error) {
    base::LogInfo(1, "the API server does not name the user of kubelet.conf: {}", error.message());
    return std::nullopt;
  }
}

std::vector<config::Taint> TaintsOf(const json::Value& node) {
  std::vector<config::Taint> taints;
  const json::Value& list = json::At(node, {"spec", "taints"});
  for (const json::Value& taint : list.is_array() ? list : json::Value::array()) {
    taints.push_back({.key = json::TextAt(taint, {"key"}),
                      .value = json::TextAt(taint, {"value"}),
                      .effect = json::TextAt(taint, {"effect"}),
                      .time_added = std::nullopt});
  }
  return taints;
}

std::optional<config::ApiEndpoint> ParseEndpoint(const static_pods::AdvertisedEndpoint& endpoint) {
  const net::HostPort parts = endpoint.Parts();
  const auto port = parts.PortNumber();
  return port ? std::optional(
                    config::ApiEndpoint{.advertise_address = parts.host, .bind_port = *port})
              : std::nullopt;
}

std::optional<config::ApiEndpoint> EndpointInFlags(const json::Value& pod) {
  const auto address = static_pods::CommandArg(pod, "advertise-address");
  const auto port =
      base::ParsePort(static_pods::CommandArg(pod, "secure-port").value_or(kUsualPort));
  return address && !address->empty() && port
             ? std::optional(config::ApiEndpoint{.advertise_address = *address, .bind_port = *port})
             : std::nullopt;
}

// Throws base::Error(kUnavailable) if the Pod is missing or belongs to another node. It may be
// missing for minutes after its static Pod was replaced. It may belong to another node, because
// every kubelet may create a Pod of that name.
void RequireOwnPod(const std::optional<json::Value>& pod, const std::string& node) {
  constexpr auto kApiServer = components::Component::kApiServer;
  const std::string name = components::PodName(kApiServer, node);
  if (!pod) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("there is no Pod \"{}\" in namespace \"kube-system\"", name));
  }
  if (!objects::IsPodOf(*pod, kApiServer, node)) {
    throw Error(
        Error::Kind::kUnavailable,
        fmt::format("Pod \"{}\" in namespace \"kube-system\" is not of the kubelet of node \"{}\": "
                    "it is on node {}. Find out which user created it, and delete it",
                    name, node, base::Quoted(json::TextAt(*pod, {"spec", "nodeName"}))));
  }
  if (static_pods::AdvertisedEndpointOf(*pod).empty()) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("Pod \"{}\" in namespace \"kube-system\" lacks annotation {}", name,
                            static_pods::kApiServerEndpointAnnotation));
  }
}

// Fetches the API endpoint of a node whose disk does not have it.
config::ApiEndpoint FetchEndpoint(kube::Client& client, const std::string& node) {
  const std::string pod = components::PodName(components::Component::kApiServer, node);
  static_pods::AdvertisedEndpoint advertised;
  client.Retry("the address of this node's API server could not be found", [&] {
    const auto found = client.Find({kube::resources::kPod, "kube-system", pod});
    RequireOwnPod(found, node);
    advertised = static_pods::AdvertisedEndpointOf(*found);
  });
  const auto endpoint = ParseEndpoint(advertised);
  if (!endpoint) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("annotation {} of Pod \"{}\" is not an address with a port: {}",
                    static_pods::kApiServerEndpointAnnotation, pod, base::Quoted(advertised.text)));
  }
  return *endpoint;
}

// Returns the version named in a ClusterConfiguration, with its "v".
std::string StoredVersion(const std::string& cluster) {
  const std::string text = json::TextAt(yaml::Parse(cluster).value, {"kubernetesVersion"});
  const auto version = base::Version::Parse(text);
  return version ? version->TextWithV() : text;
}

}  // namespace

std::string NodeName(const host::Files& files, const std::string& hostname) {
  const fs::path path = fs::path(config::kKubernetesDir) / config::kKubeletConf;
  if (!files.Exists(path)) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("this machine is not a node of a cluster: {} does not exist; run the "
                            "command on a node",
                            path.string()));
  }
  return base::WithContext("this node's name could not be found", [&] {
    const kube::Kubeconfig config = kubeconfigs::LoadKubeconfig(files, path);
    if (auto name = NameInCertificate(config)) {
      return *name;
    }
    return NameByReview(config).value_or(config::NodeName(hostname));
  });
}

Role RoleOf(const host::Files& files) {
  return files.Exists(components::ManifestPath(components::Component::kApiServer))
             ? Role::kControlPlane
             : Role::kWorker;
}

std::optional<config::ApiEndpoint> EndpointOnDisk(const host::Files& files) {
  try {
    const json::Value pod = static_pods::ReadManifest(files, components::Component::kApiServer)
                                .value_or(json::Value::object());
    const static_pods::AdvertisedEndpoint advertised = static_pods::AdvertisedEndpointOf(pod);
    const auto annotated = advertised.empty() ? std::nullopt : ParseEndpoint(advertised);
    return annotated ? annotated : EndpointInFlags(pod);
  } catch (const Error&) {
    return std::nullopt;
  }
}

config::InitConfiguration FetchNode(kube::Client& client, const std::string& name, Role role,
                                    const std::optional<config::ApiEndpoint>& on_disk) {
  config::InitConfiguration node;
  node.node_registration.name = name;
  json::Value object;
  client.Retry(fmt::format("node \"{}\" could not be read", name),
               [&] { object = client.Get({kube::resources::kNode, "", name}); });
  node.node_registration.cri_socket =
      json::TextAt(object, {"metadata", "annotations", kSocketAnnotation});
  node.node_registration.taints = TaintsOf(object);
  if (role == Role::kControlPlane) {
    node.local_api_endpoint = on_disk ? *on_disk : FetchEndpoint(client, name);
  }
  return node;
}

FetchedConfig FetchConfig(kube::Client& client, const host::Files& files,
                          const FetchOptions& options) {
  FetchedConfig fetched{.config = {}, .stored = FetchStoredConfig(client, options.components)};
  fetched.version = StoredVersion(fetched.stored.cluster);
  config::InitConfiguration node = FetchNode(
      client, options.node.empty() ? NodeName(files, options.facts.hostname) : options.node,
      options.role, EndpointOnDisk(files));
  // Only older releases write the Node's annotation, so the node's own files take precedence.
  if (auto socket = kubelet::CriSocketOnDisk(files)) {
    node.node_registration.cri_socket = *std::move(socket);
  }
  fetched.config = config::LoadStored(fetched.stored, std::move(node), options.facts,
                                      {.cri_socket = options.cri_socket,
                                       .kubernetes_version = options.kubernetes_version,
                                       .advertise_address = config::AdvertiseAddress::kKeep});
  return fetched;
}

}  // namespace stored_config
