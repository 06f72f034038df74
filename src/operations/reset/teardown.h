// SPDX-License-Identifier: Apache-2.0
// One reset of this node: its inputs, and the facts found during the run.
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

// Belongs to one run, whose steps run one after the other. The host must outlive it.
class Teardown {
 public:
  explicit Teardown(host::Host& machine) : host(machine) {}

  host::Host& host;
  config::ResetConfiguration config;
  fs::path kubeconfig;  // of the requests to the cluster

  // Found before any removal.
  std::optional<std::string> cluster_ca;   // of this node's cluster, if it is known
  std::vector<fs::path> user_kubeconfigs;  // of the calling user, with that cluster's server

  // Found during the run.
  std::vector<fs::path> emptied;  // directories that should have nothing in them now
  std::vector<fs::path> removed;  // files and directories that should not exist now
  std::optional<fs::path> etcd_data;

  // Fills in the cluster's CA and the kubeconfigs with its server.
  void CollectKubeconfigs();
  // Returns nullptr without a kubeconfig: then no cluster can be queried.
  kube::Client* Client();
  // Returns the cluster's configuration, which is fetched once. If it cannot be fetched, warns and
  // returns nullptr.
  const config::ClusterConfiguration* Cluster(const Notes& notes);
  // Removes the content of a directory by its rules (places.h). Each kept part causes one warning.
  void EmptyDirectory(const fs::path& directory, const Notes& notes);
  // Records that the paths, or their content, are about to be removed.
  void WillRemove(const std::vector<fs::path>& paths);
  // Returns one sentence for each remaining object on this node.
  std::vector<std::string> LeftBehind();

 private:
  std::set<std::string> told_;  // kept parts that were reported
  std::vector<Link> links_;     // links that are removed, but not their targets
  std::optional<std::unique_ptr<kube::Client>> client_;
  std::optional<std::optional<config::ClusterConfiguration>> cluster_;
};

}  // namespace reset
