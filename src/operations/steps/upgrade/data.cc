// SPDX-License-Identifier: Apache-2.0
#include "steps/upgrade/data.h"

#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "base/version.h"
#include "config/facts.h"
#include "config/paths.h"
#include "control_plane/soak.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"
#include "upgrade/dry_run_cluster.h"

namespace upgrade_steps {

bool UpgradeData::ControlPlane() const {
  // `apply` and its phases always act on a control-plane node.
  return command == Command::kApply ||
         stored_config::RoleOf(machine.files) == stored_config::Role::kControlPlane;
}

steps::Transports UpgradeData::ClientTransports(std::stop_token) const {
  const fs::path kubeconfig(options.kubeconfig);
  return {.real = [=, this] { return kubeconfigs::ConnectBy(machine, kubeconfig); },
          .dry_run =
              [=, this](const base::ShowLine& log) {
                return upgrade::ConnectDryRun(machine, kubeconfig, log);
              }};
}

stored_config::FetchedConfig UpgradeData::Fetch(kube::Client& client) const {
  const config::Facts facts = node_input::CollectFacts(machine);
  std::string node;  // "": the name in the machine's kubelet.conf
  // A dry run also works on a machine that is not a node, so it uses the host name.
  world.Do({.in_dry_run = [&] {
    if (!machine.files.Exists(fs::path(config::kKubernetesDir) / config::kKubeletConf)) {
      node = config::NodeName(facts.hostname);
    }
  }});
  return stored_config::FetchConfig(
      client, machine.files,
      {.facts = facts,
       .node = node,
       .role = ControlPlane() ? stored_config::Role::kControlPlane : stored_config::Role::kWorker,
       .cri_socket = config::CriSocketChoice::kDetect,
       .kubernetes_version = command == Command::kApply ? wanted_version : ""});
}

void UpgradeData::ChangeSoak(const std::string& stored_version) {
  switch (upgrade_options.soak) {
    case Soak::kLeave:
      return;
    case Soak::kBegin:
      control_plane::BeginSoak(
          config.cluster, base::Version::ParseGeneric(stored_version).value_or(base::Version()));
      return;
    case Soak::kEnd:
      RequireSoak(stored_version);
      control_plane::EndSoak(config.cluster);
  }
}

// Throws base::Error: kConflict if the cluster does not have the wanted version yet, kNotFound if
// the control plane does not soak. An incomplete upgrade may lack the soak, because an interrupted
// commit may have stored the configuration already.
void UpgradeData::RequireSoak(const std::string& stored_version) const {
  if (stored_version != wanted_version) {
    throw base::Error(
        base::Error::Kind::kConflict,
        fmt::format("the upgrade to {} is not complete: run 'kubeadm upgrade apply {} "
                    "--soak' again, and commit it afterwards",
                    wanted_version, wanted_version));
  }
  const auto record = control_plane::LoadRecord(machine.files);
  if (!control_plane::EmulatedVersion(config.cluster) && record && record->complete) {
    throw base::Error(base::Error::Kind::kNotFound,
                      "there is nothing to commit: the control plane does not behave as an earlier "
                      "version");
  }
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
  stored_config::FetchedConfig fetched = Fetch(Client(context));
  config = std::move(fetched.config);
  config.init.node_registration.image_pull_policy = registration.image_pull_policy;
  config.init.node_registration.image_pull_serial = registration.image_pull_serial;
  ChangeSoak(fetched.version);
  record_ = control_plane::BeginRecord(control_plane::LoadRecord(machine.files),
                                       {.command = command == Command::kApply ? "apply" : "node",
                                        .from = fetched.version,
                                        .to = config.cluster.kubernetes_version});
  cluster_is_loaded_ = true;
}

}  // namespace upgrade_steps
