// SPDX-License-Identifier: Apache-2.0
// What all phases of a join see.
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

// JoinData knows of the cluster only after it was asked: a phase that needs `config` calls
// LoadCluster first.
class JoinData : public node_steps::NodeData {
 public:
  explicit JoinData(world::World& of_run) : NodeData(of_run, kubeconfigs::JoinSpecs()) {}

  config::JoinConfiguration join;
  // The administrator's kubeconfig where it takes the place of discovery.
  std::optional<kube::Kubeconfig> given;

  bool control_plane() const { return join.control_plane.has_value(); }
  bool stacked_etcd() const { return config.cluster.etcd.local.has_value(); }

  // Bootstrap is the way into the cluster before this node has an identity of its own: discovered
  // and checked at first need.
  const kube::Kubeconfig& Bootstrap(workflow::Context& context);
  kube::Client& BootstrapClient(workflow::Context& context);

  // LoadCluster completes `config` at first need: the configuration that the cluster keeps, with
  // this node's own part.
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
