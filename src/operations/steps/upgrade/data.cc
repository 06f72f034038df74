// SPDX-License-Identifier: Apache-2.0
#include "steps/upgrade/data.h"

#include <memory>

#include "config/facts.h"
#include "config/paths.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"
#include "upgrade/dry_run_cluster.h"

namespace upgrade_steps {

bool UpgradeData::ControlPlane() const {
  // A user of `apply`, or of one of its phases, means a control plane.
  return command == Command::kApply ||
         upgrade::RoleOf(machine.files) == upgrade::Role::kControlPlane;
}

steps::Transports UpgradeData::ClientTransports(std::stop_token) const {
  const fs::path kubeconfig(options.kubeconfig);
  return {.real = [=, this] { return kubeconfigs::ConnectBy(machine, kubeconfig); },
          .dry_run =
              [=, this](const base::ShowLine& log) {
                return upgrade::ConnectDryRun(machine, kubeconfig, log);
              }};
}

upgrade::FetchedConfig UpgradeData::Fetch(kube::Client& client) const {
  const config::Facts facts = node_input::GatherFacts(machine);
  std::string node;  // "": by the machine's kubelet.conf
  // A dry run also works on a machine that is not a node.
  world.Do({.in_dry_run = [&] {
    if (!machine.files.Exists(fs::path(config::kKubernetesDir) / config::kKubeletConf)) {
      node = config::NodeName(facts.hostname);
    }
  }});
  return upgrade::FetchConfig(
      client, machine.files,
      {.facts = facts,
       .node = node,
       .role = ControlPlane() ? upgrade::Role::kControlPlane : upgrade::Role::kWorker,
       .cri_socket = config::CriSocketChoice::kDetect,
       .kubernetes_version = command == Command::kApply ? wanted_version : ""});
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
  upgrade::FetchedConfig fetched = Fetch(Client(context));
  config = std::move(fetched.config);
  config.init.node_registration.image_pull_policy = registration.image_pull_policy;
  config.init.node_registration.image_pull_serial = registration.image_pull_serial;
  record_ = upgrade::BeginRecord(upgrade::LoadRecord(machine.files),
                                 {.command = command == Command::kApply ? "apply" : "node",
                                  .from = fetched.version,
                                  .to = config.cluster.kubernetes_version});
  cluster_is_loaded_ = true;
}

}  // namespace upgrade_steps
