// SPDX-License-Identifier: Apache-2.0
// The inputs of a rotation's run on this node, and the collection of its facts.
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

// One run's view of its node. References must outlive it.
struct Node {
  host::Host& host;
  const Authority& authority;
  config::Init config;  // a worker's has only the certificates directory
  std::string name;     // in the cluster
  bool control_plane = true;
  // Creates a client that reads its kubeconfig at each call, because its trusted CAs change in
  // between. Its retries cover a restart of the API server.
  std::function<kube::Client()> new_client = {};
  // Connects to the node's container runtime; not called on workers.
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime = {};
  std::stop_token stop = {};
  // Receives a whole sentence about each action.
  base::ShowLine say = [](const std::string&) {};
  // Receives a whole line: a step's sentence with its prefix, or the certificate key of
  // --upload-certs, which scripts extract.
  base::ShowLine show = [](const std::string&) {};
  std::string remedy = {};  // engine::Deps::remedy

  Place place() const;
  std::chrono::sys_seconds Now() const;
  // Options of a wait on this node, for at most `limit`.
  kube::WaitOptions Waiting(std::chrono::milliseconds limit) const;
  // Returns the time for a restarting etcd or API server to answer: 4 minutes, or the
  // configuration's timeout of an API call (timeouts.kubernetesAPICall) if that is longer.
  std::chrono::milliseconds RestartPatience() const;
  // Returns whether this row's authority ("ca": certs::kCa) is replaced.
  bool Rotates(std::string_view row) const { return authority.row == row; }
};

// Throws base::Error(kInvalid) on a worker if the authority exists only on the control plane.
void CheckRole(const Node& node);

// Throws base::Error(kInvalid) if the authority cannot be replaced here: it is external, or its
// files are missing.
void CheckAuthority(const Node& node);

// The user's options for a run.
struct Options {
  bool again = false;  // another rotation after a complete one
  bool early = false;  // do not wait for tokens to be replaced
  // Nodes that no step waits for: a compromised node must not delay the rotation that excludes it.
  std::vector<std::string> leave_behind = {};
};

// Reads the node's files and queries the cluster. Throws base::Error(kUsage) if
// Options::leave_behind names this node, or one that no step would wait for.
Situation GatherSituation(const Node& node, const Options& options);

}  // namespace ca_rotation
