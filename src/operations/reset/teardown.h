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

// The state of one run, whose steps run one after the other. The host must outlive it.
class Teardown {
 public:
  explicit Teardown(host::Host& machine) : host(machine) {}

  host::Host& host;
  config::ResetConfiguration config;
  fs::path kubeconfig;  // of the requests to the cluster

  // Collected before any removal.
  std::optional<std::string> cluster_ca;   // of this node's cluster, if it is known
  std::vector<fs::path> user_kubeconfigs;  // of the calling user, with that CA

  // Filled in during the run.
  std::vector<fs::path> emptied;  // directories that should be empty now
  std::vector<fs::path> removed;  // files and directories that should not exist now
  std::optional<fs::path> etcd_data;

  // Fills in `cluster_ca` and `user_kubeconfigs`.
  void CollectKubeconfigs();
  // Returns the client of `kubeconfig`. Returns nullptr if no cluster can be queried, because the
  // kubeconfig does not exist.
  kube::Client* Client();
  // Returns the cluster's configuration, which is fetched once. If it cannot be fetched, warns and
  // returns nullptr.
  const config::ClusterConfiguration* Cluster(const Notes& notes);
  // Removes the content of a directory by its rules (places.h). Each kept part causes one warning.
  void EmptyDirectory(const fs::path& directory, const Notes& notes);
  // Called before the paths, or their content, are removed. Records the links among the paths,
  // whose targets stay and are reported by LeftBehind.
  void WillRemove(const std::vector<fs::path>& paths);
  // Returns one sentence for each remaining object on this node.
  std::vector<std::string> LeftBehind();

 private:
  std::set<std::string> told_;  // kept parts that were reported
  std::vector<Link> links_;     // removed links, whose targets stay
  std::optional<std::unique_ptr<kube::Client>> client_;
  std::optional<std::optional<config::ClusterConfiguration>> cluster_;
};

}  // namespace reset
