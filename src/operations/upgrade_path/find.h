// SPDX-License-Identifier: Apache-2.0
// Finds the upgrade path from a cluster's present state to a version.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/host.h"
#include "kube/client.h"
#include "upgrade_path/kubelet_step.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// The options of a path, from flags or a configuration.
struct PathOptions {
  std::string version = {};  // "v1.37.2", "stable-1.37"; "" for the newest that this kubeadm knows
  upgrade::Unstable allowed = {};
  bool upgrades_etcd = true;                  // --etcd-upgrade
  bool renews_certificates = true;            // --certificate-renewal
  std::set<std::string> ignored_checks = {};  // of preflight, in lower case
  host::fs::path patches = {};                // the directory of this node's patches; "" for none
};

// The user's request. References must outlive it.
struct PathRequest {
  host::Host& host;
  kube::Client& client;
  PathOptions options = {};
  std::vector<KubeletProgram> kubelets = {};  // the user's programs for this node
  bool kubelet_command = false;
};

// The path and further results.
struct PathAnswer {
  PathPlan plan;
  std::string node;  // this node's name
};

// Queries the cluster and this node. If the cluster does not answer, retries within the client's
// limit. Throws the errors of kube::Client, stored_config::FetchConfig and PlanPath.
PathAnswer FindPath(const PathRequest& request);

}  // namespace upgrade_path
