// SPDX-License-Identifier: Apache-2.0
// The shared data of a join's phases.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kube/kubeconfig.h"
#include "steps/join/identity.h"
#include "steps/node/data.h"

namespace join_steps {

namespace fs = std::filesystem;

// The data of one join. `config` is empty until LoadCluster has been called: a phase that uses
// `config` must call LoadCluster first.
class JoinData : public node_steps::NodeData {
 public:
  explicit JoinData(steps::World& of_run) : NodeData(of_run, kubeconfigs::JoinSpecs()) {}

  config::JoinConfiguration join;
  // The administrator's kubeconfig, if the user provides it instead of discovery.
  std::optional<kube::Kubeconfig> given;
  // The proof of this machine's identity, if it gets its credentials by it.
  std::optional<IdentityProof> proof;

  bool control_plane() const { return join.control_plane.has_value(); }
  bool stacked_etcd() const { return config.cluster.etcd.local.has_value(); }

  // Returns the kubeconfig that is used until this node has its own credentials. The first call
  // discovers and verifies the cluster.
  const kube::Kubeconfig& Bootstrap(workflow::Context& context);
  kube::Client& BootstrapClient(workflow::Context& context);

  // Loads the cluster's stored configuration into `config`, and adds this node's own settings. Only
  // the first call has an effect.
  void LoadCluster(workflow::Context& context);

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return join.timeouts; }
  steps::Transports ClientTransports(std::stop_token) const override;

 private:
  kube::Kubeconfig Discover(workflow::Context& context);
  config::InitConfiguration NodePart() const;
  steps::Transports TransportsOf(const kube::Kubeconfig& bootstrap) const;

  std::mutex discovery_mutex_;
  std::optional<kube::Kubeconfig> bootstrap_;             // guarded by discovery_mutex_
  std::optional<steps::PhaseClients> bootstrap_clients_;  // guarded by discovery_mutex_
  std::mutex cluster_mutex_;
  bool cluster_is_loaded_ = false;  // guarded by cluster_mutex_, like writes to `config`
};

}  // namespace join_steps
