// SPDX-License-Identifier: Apache-2.0
// The shared data of a join's phases.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kube/kubeconfig.h"
#include "node_steps/data.h"

namespace join_steps {

namespace fs = std::filesystem;

// The cluster is unknown before the first query: a phase that needs `config` calls LoadCluster
// first.
class JoinData : public node_steps::NodeData {
 public:
  explicit JoinData(world::World& of_run) : NodeData(of_run, kubeconfigs::JoinSpecs()) {}

  config::JoinConfiguration join;
  // The administrator's kubeconfig if it replaces discovery.
  std::optional<kube::Kubeconfig> given;

  bool control_plane() const { return join.control_plane.has_value(); }
  bool stacked_etcd() const { return config.cluster.etcd.local.has_value(); }

  // Returns the connection before this node has an identity of its own: discovered and verified on
  // first use.
  const kube::Kubeconfig& Bootstrap(workflow::Context& context);
  kube::Client& BootstrapClient(workflow::Context& context);

  // Completes `config` on first use: the cluster's stored configuration, with this node's own part.
  void LoadCluster(workflow::Context& context);

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return join.timeouts; }
  world::Transports ClientTransports(std::stop_token) const override;

 private:
  kube::Kubeconfig Discover(workflow::Context& context);
  config::InitConfiguration NodePart() const;
  world::Transports TransportsOf(const kube::Kubeconfig& bootstrap) const;

  std::mutex discovery_mutex_;
  std::optional<kube::Kubeconfig> bootstrap_;             // guarded by discovery_mutex_
  std::optional<world::PhaseClients> bootstrap_clients_;  // guarded by discovery_mutex_
  std::mutex cluster_mutex_;
  bool cluster_is_loaded_ = false;  // guarded by cluster_mutex_, as the writing of `config`
};

}  // namespace join_steps
