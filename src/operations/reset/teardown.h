// SPDX-License-Identifier: Apache-2.0
// One reset of this node: what it acts on, and what it learns on the way.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/host.h"
#include "kube/client.h"
#include "reset/leftovers.h"
#include "reset/notes.h"

namespace reset {

namespace fs = std::filesystem;

// Teardown belongs to one run, whose steps run one after the other. The host outlives it.
class Teardown {
 public:
  explicit Teardown(host::Host& machine) : host(machine) {}

  host::Host& host;
  config::ResetConfiguration config;
  fs::path kubeconfig;  // that the cluster is asked with

  // Learned before anything is removed.
  std::optional<std::string> cluster_ca;   // of the cluster that this node leaves, when it is known
  std::vector<fs::path> user_kubeconfigs;  // of who runs this, that lead to it

  // Learned on the way.
  std::vector<fs::path> emptied;  // directories that should have nothing in them now
  std::vector<fs::path> removed;  // files and directories that should not exist now
  std::optional<fs::path> etcd_data;

  // LearnKubeconfigs fills in the cluster's CA and the kubeconfigs that lead to it.
  void LearnKubeconfigs();
  // Client is nullptr when there is no kubeconfig: then there is no cluster to ask.
  kube::Client* Client();
  // Cluster is the cluster's configuration, asked for once; nullptr, with a warning, when it cannot
  // be obtained.
  const config::ClusterConfiguration* Cluster(const Notes& notes);
  // EmptyDirectory removes what is in a directory, within the rules for it (places.h). What is kept
  // becomes a warning, once.
  void EmptyDirectory(const fs::path& directory, const Notes& notes);
  // WillRemove notes that the paths, or what is in them, are about to be removed.
  void WillRemove(const std::vector<fs::path>& paths);
  // LeftBehind lists what is still on this node, one sentence each.
  std::vector<std::string> LeftBehind();

 private:
  std::set<std::string> told_;  // of what is kept
  std::vector<Link> links_;     // that were to be removed
  std::optional<std::unique_ptr<kube::Client>> client_;
  std::optional<std::optional<config::ClusterConfiguration>> cluster_;
};

}  // namespace reset
