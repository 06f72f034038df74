#include "kubeadm/upgrade/data.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "config/facts.h"
#include "config/paths.h"
#include "config/version.h"
#include "discovery/canned.h"
#include "kube/dry_run.h"
#include "kubeadm/gather.h"
#include "kubeconfigs/connect.h"
#include "static_pods/static_pod.h"

namespace kubeadm {
namespace {

// The cluster of a dry run without one: that of a join, and the Pod of this node's API server.
std::optional<json::Value> CannedObject(const kube::Call& call) {
  const bool is_api_server = call.verb == kube::Verb::kGet &&
                             call.resource.resource == kube::resources::kPod.resource &&
                             call.name.starts_with(config::kApiServer);
  if (!is_api_server) {
    return discovery::CannedObject(call);
  }
  return json::Value{
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", call.name},
        {"namespace", call.name_space},
        {"annotations", {{static_pods::kApiServerEndpointAnnotation, "0.0.0.0:6443"}}}}}};
}

class MadeUpCluster : public kube::DryRunTransport {
 public:
  explicit MadeUpCluster(kube::DryRunOptions options) : DryRunTransport(std::move(options)) {}
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return path == "/version" ? fmt::format(R"({{"gitVersion": "{}"}})", config::kKubeadmVersion)
                              : DryRunTransport::GetPath(path, std::move(stop));
  }
};

}  // namespace

bool UpgradeData::ControlPlane() const {
  return upgrade::RoleOf(machine.files) == upgrade::Role::kControlPlane;
}

std::shared_ptr<kube::Transport> UpgradeData::Connect(const Log& log) const {
  if (!options.dry_run) {
    return kubeconfigs::ConnectBy(machine, fs::path(options.kubeconfig));
  }
  // A cluster is made up only where there is none: what a real one lacks stays missing.
  if (!machine.files.Exists(options.kubeconfig)) {
    return std::make_shared<MadeUpCluster>(
        kube::DryRunOptions{.log = log, .real = nullptr, .canned = CannedObject});
  }
  std::shared_ptr<kube::Transport> real =
      kubeconfigs::ConnectBy(machine, fs::path(options.kubeconfig));
  // Later its failures would look like objects that are missing.
  base::WithContext(options.kubeconfig, [&] { return real->GetPath("/version", {}); });
  return std::make_shared<kube::DryRunTransport>(
      kube::DryRunOptions{.log = log, .real = std::move(real), .canned = nullptr});
}

upgrade::FetchedConfig UpgradeData::Fetch(kube::Client& client) const {
  const config::Facts facts = GatherFacts(machine);
  const bool is_node =
      machine.files.Exists(fs::path(config::kKubernetesDir) / config::kKubeletConf);
  return upgrade::FetchConfig(
      client, machine.files,
      {.facts = facts,
       // A dry run shows what would be done on a machine that is no node, too.
       .node = options.dry_run && !is_node ? config::NodeName(facts.hostname) : "",
       .role = upgrade::RoleOf(machine.files),
       .cri_socket = config::CriSocketChoice::kAssume});
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
  const config::NodeRegistration registration = config.init.node_registration;
  config = Fetch(Client(context)).config;
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
