// SPDX-License-Identifier: Apache-2.0
// Which way leads from what a cluster is to a version.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/host.h"
#include "kube/client.h"
#include "upgrade_path/kubelet_step.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// PathOptions is what flags or a configuration say of the way.
struct PathOptions {
  std::string version = {};  // "v1.37.2", "stable-1.37"; "" for the newest that this kubeadm knows
  upgrade::Unstable allowed = {};
  bool upgrades_etcd = true;                  // --etcd-upgrade
  std::set<std::string> ignored_checks = {};  // of preflight, in lower case
};

// PathRequest is what the user wants. References outlive it.
struct PathRequest {
  host::Host& host;
  kube::Client& client;
  PathOptions options = {};
  std::vector<KubeletProgram> kubelets = {};  // given for this node
  bool kubelet_command = false;
};

// PathAnswer is the way and what else was learned.
struct PathAnswer {
  PathPlan plan;
  std::string node;  // this node's name
};

// FindPath asks the cluster and this node, a cluster that does not answer again within the client's
// limit. Throws base::Error.
PathAnswer FindPath(const PathRequest& request);

}  // namespace upgrade_path
