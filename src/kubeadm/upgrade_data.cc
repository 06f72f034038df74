#include "kubeadm/upgrade_data.h"

#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "cluster/admin.h"
#include "cluster/fetch.h"
#include "config/addresses.h"
#include "config/facts.h"
#include "config/load.h"
#include "config/paths.h"
#include "data/yaml.h"
#include "discovery/canned.h"
#include "kube/dry_run.h"
#include "kubeadm/gather.h"
#include "kubelet/node_config.h"
#include "manifests/static_pod.h"
#include "pki/certificate.h"

namespace kubeadm {
namespace {

constexpr std::string_view kCriSocketAnnotation = "kubeadm.alpha.kubernetes.io/cri-socket";
constexpr std::string_view kNodeUser = "system:node:";

// The socket in one of the kubelet's files, or "".
std::string SocketIn(const host::Files& files, std::string_view file) {
  const std::optional<std::string> text = files.Find(fs::path(file));
  return text ? data::TextAt(data::ParseYaml(*text).value, {"containerRuntimeEndpoint"}) : "";
}

// Where the node's container runtime is: as the cluster knows it, else as the kubelet is told.
std::string CriSocket(const host::Files& files, const data::Json& node) {
  for (const std::string& socket :
       {data::TextAt(node, {"metadata", "annotations", std::string(kCriSocketAnnotation)}),
        SocketIn(files, kubelet::kInstanceConfigFile), SocketIn(files, kubelet::kConfigFile)}) {
    if (!socket.empty()) {
      return socket;
    }
  }
  return std::string(config::kContainerdSocket);
}

// The API server of `node`, as its Pod's annotation tells.
std::optional<config::ApiEndpoint> EndpointOf(kube::Client& client, const std::string& node) {
  const std::string name =
      fmt::format("{}-{}", manifests::Name(manifests::Component::kApiServer), node);
  for (const data::Json& pod : client.List(kube::resources::kPod, "kube-system",
                                           "component=kube-apiserver,tier=control-plane")) {
    const std::string text = data::TextAt(
        pod, {"metadata", "annotations", std::string(manifests::kApiServerEndpointAnnotation)});
    if (data::TextAt(pod, {"metadata", "name"}) == name && !text.empty()) {
      const config::HostPort endpoint = config::SplitHostPort(text);
      return config::ApiEndpoint{.advertise_address = endpoint.host,
                                 .bind_port = std::stoi(endpoint.port)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string NodeNameOf(const host::Host& host) {
  const fs::path path = fs::path(config::kKubernetesDir) / config::kKubeletConf;
  const kube::Kubeconfig kubeconfig = cluster::LoadKubeconfig(host.files, path);
  const kube::KubeconfigUser* user = kubeconfig.CurrentUser();
  if (user != nullptr && !user->client_certificate_data.empty()) {
    const std::string name =
        pki::Certificate::FromPem(user->client_certificate_data).subject().common_name;
    if (name.starts_with(kNodeUser)) {
      return name.substr(kNodeUser.size());
    }
  }
  return config::NodeName(host.machine.Hostname());
}

bool UpgradeData::ControlPlane() const {
  return machine.files.Exists(manifests::ManifestPath(manifests::Component::kApiServer));
}

std::shared_ptr<kube::Transport> UpgradeData::Connect(const Log& log) const {
  if (!options.dry_run) {
    return kube::MakeHttpTransport(cluster::LoadKubeconfig(machine.files, options.kubeconfig), {});
  }
  std::shared_ptr<kube::Transport> real;
  if (machine.files.Exists(options.kubeconfig)) {
    real = kube::MakeHttpTransport(cluster::LoadKubeconfig(machine.files, options.kubeconfig), {});
  }
  return std::make_shared<kube::DryRunTransport>(
      kube::DryRunOptions{.log = log, .real = real, .canned = discovery::CannedObject});
}

config::InitConfiguration UpgradeData::NodePart(kube::Client& client) const {
  config::InitConfiguration node;
  const bool known = machine.files.Exists(fs::path(config::kKubernetesDir) / config::kKubeletConf);
  // A dry run shows what would be done on a machine that is no node, too.
  node.node_registration.name = known || !options.dry_run
                                    ? NodeNameOf(machine)
                                    : config::NodeName(machine.machine.Hostname());
  node.node_registration.cri_socket =
      CriSocket(machine.files, client.Get(kube::resources::kNode, "", node.node_registration.name));
  if (ControlPlane()) {
    if (const auto endpoint = EndpointOf(client, node.node_registration.name)) {
      node.local_api_endpoint = *endpoint;
    } else {
      throw base::Error(
          base::Error::Kind::kNotFound,
          fmt::format("the cluster knows no API server on node {}: is its static Pod running?",
                      node.node_registration.name));
    }
  }
  return node;
}

void UpgradeData::LoadCluster(workflow::Context& context) {
  const std::scoped_lock lock(cluster_mutex_);
  if (cluster_is_loaded_) {
    return;
  }
  context.Print(
      "[upgrade] Reading the cluster's configuration from ConfigMap \"kubeadm-config\" in "
      "namespace "
      "\"kube-system\"");
  kube::Client& client = Client(context);
  const config::NodeRegistration registration = config.init.node_registration;
  const config::StoredConfig stored = cluster::FetchStoredConfig(client);
  config = config::LoadStored(stored, NodePart(client), GatherFacts(machine),
                              {.cri_socket = config::CriSocketChoice::kAssume,
                               .advertise_address = config::AdvertiseAddress::kKeep});
  config.init.node_registration.image_pull_policy = registration.image_pull_policy;
  config.init.node_registration.image_pull_serial = registration.image_pull_serial;
  const std::string from = config.cluster.kubernetes_version;
  if (command == Command::kApply) {
    config.cluster.kubernetes_version = wanted_version;
  }
  record_ = upgrade::BeginRecord(upgrade::LoadRecord(machine.files),
                                 {.command = command == Command::kApply ? "apply" : "node",
                                  .from = from,
                                  .to = config.cluster.kubernetes_version});
  cluster_is_loaded_ = true;
}

}  // namespace kubeadm
