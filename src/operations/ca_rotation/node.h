// SPDX-License-Identifier: Apache-2.0
// What a rotation knows of the node that it runs on, and what follows.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "ca_rotation/authority.h"
#include "ca_rotation/place.h"
#include "config/types.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace ca_rotation {

// Node is one run's view of its node. References outlive it.
struct Node {
  host::Host& host;
  const Authority& authority;
  config::Init config;  // a worker's has nothing but the certificates directory
  std::string name;     // in the cluster
  bool control_plane = true;
  // A client that reads its kubeconfig at each call: whom it trusts changes in between. It tries
  // for as long as a restart of the API server takes.
  std::function<kube::Client()> new_client = {};
  // Connects to the node's container runtime; not called on workers.
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime = {};
  std::stop_token stop = {};
  // Gets a whole sentence at each thing that is done.
  base::ShowLine say = [](const std::string&) {};
  // Shows the certificate key of --upload-certs, alone on its line: scripts cut it from there.
  base::ShowLine show_key = [](const std::string&) {};

  Place place() const;
  std::chrono::sys_seconds Now() const;
  // Waiting for something at this node, for at most `limit`.
  kube::WaitOptions Waiting(std::chrono::milliseconds limit) const;
  // RestartPatience is how long etcd or an API server that restarts may take to answer: 4 minutes,
  // or what the configuration gives a call of its API (timeouts.kubernetesAPICall) where that is
  // longer.
  std::chrono::milliseconds RestartPatience() const;
  // Rotates tells whether it is this row's authority ("ca": certs::kCa) that is replaced.
  bool Rotates(std::string_view row) const { return authority.row == row; }
};

// CheckRole throws base::Error(kInvalid) on a worker when the authority is the control plane's
// business.
void CheckRole(const Node& node);

// CheckAuthority throws base::Error(kInvalid) when the authority cannot be replaced here: it is an
// external one, or its files are missing.
void CheckAuthority(const Node& node);

// Options are what the user wants besides the next step.
struct Options {
  bool again = false;  // one more rotation after one that is complete
  bool early = false;  // not to wait for tokens to be replaced
  // Nodes for which no step waits: what a node tells of itself must not hold a rotation up that is
  // meant to shut the node out.
  std::vector<std::string> leave_behind = {};
};

// GatherSituation looks at the node's files and asks the cluster. Throws base::Error(kUsage) where
// Options::leave_behind names this node, or one that no step would wait for.
Situation GatherSituation(const Node& node, const Options& options);

}  // namespace ca_rotation
