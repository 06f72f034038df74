#include "kubeadm/upgrade/data.h"

#include <memory>

#include "config/facts.h"
#include "config/paths.h"
#include "config_input/gather.h"
#include "kubeconfigs/connect.h"
#include "upgrade/dry_run_cluster.h"

namespace kubeadm {
bool UpgradeData::ControlPlane() const {
  return upgrade::RoleOf(machine.files) == upgrade::Role::kControlPlane;
}

Ways UpgradeData::WaysOfClient() const {
  const fs::path kubeconfig(options.kubeconfig);
  return {.real = [=, this] { return kubeconfigs::ConnectBy(machine, kubeconfig); },
          .dry_run =
              [=, this](const base::ShowLine& log) {
                return upgrade::ConnectDryRun(machine, kubeconfig, log);
              }};
}

upgrade::FetchedConfig UpgradeData::Fetch(kube::Client& client) const {
  const config::Facts facts = config_input::GatherFacts(machine);
  std::string node;  // "": as the machine's kubelet.conf says
  // A dry run shows what would be done on a machine that is no node, too.
  world.Do({.show = [&] {
    if (!machine.files.Exists(fs::path(config::kKubernetesDir) / config::kKubeletConf)) {
      node = config::NodeName(facts.hostname);
    }
  }});
  return upgrade::FetchConfig(client, machine.files,
                              {.facts = facts,
                               .node = node,
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
