// What all phases of `kubeadm reset` see.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "host/mounts.h"
#include "kube/client.h"
#include "kubeadm/world.h"
#include "workflow/context.h"

namespace kubeadm {

namespace fs = std::filesystem;

// ResetOptions are what only the command line says.
struct ResetOptions {
  bool all = false;
  std::string kubeconfig;  // file that API calls are made with
};

// ResetData belongs to one run; its phases run one after the other.
class ResetData {
 public:
  ResetData(World& of_run, host::Mounts& machine_mounts)
      : world(of_run), host(of_run.host), mounts(machine_mounts) {}

  World& world;
  host::Host& host;
  host::Mounts& mounts;
  config::ResetConfiguration config;
  ResetOptions options;
  std::set<std::string> ignored_preflight_errors;  // lower case
  // Asks the user; true for a yes.
  std::function<bool(const std::string& question)> confirm;

  // Learned before anything is removed.
  std::string cluster_ca;                  // of the cluster that this node leaves
  std::vector<fs::path> user_kubeconfigs;  // of who runs this, that lead to it

  // Learned on the way.
  std::vector<fs::path> emptied;  // folders that should have nothing in them now
  std::optional<fs::path> etcd_data;

  // Client is nullptr when there is no kubeconfig: then there is no cluster to ask.
  kube::Client* Client();
  // Cluster is the cluster's configuration, asked for once; nullptr, with a warning, when it cannot
  // be had.
  const config::ClusterConfiguration* Cluster(workflow::Context& context);

 private:
  std::optional<std::unique_ptr<kube::Client>> client_;
  std::optional<std::optional<config::ClusterConfiguration>> cluster_;
};

}  // namespace kubeadm
