// SPDX-License-Identifier: Apache-2.0
// Dependencies of a rotation on this node, and the collection of its facts.
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
#include "workflow/reporter.h"

namespace ca_rotation {

// Dependencies of one run on this node. All references must outlive the Node.
struct Node {
  host::Host& host;
  const Authority& authority;
  // Receives the phases of a step, their lines, and the certificate key of --upload-certs. Scripts
  // extract the key, so its line has no prefix.
  workflow::Reporter& reporter;
  config::Init config;  // on a worker only certificatesDir is set
  std::string name;     // in the cluster
  bool control_plane = true;
  // Creates a client that reads its kubeconfig before each call, because the trusted CAs change
  // during a run. Its retries bridge a restart of the API server.
  std::function<kube::Client()> new_client = {};
  // Connects to the node's container runtime; not called on workers.
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime = {};
  std::stop_token stop = {};
  // Receives a whole sentence about each action.
  base::ShowLine say = [](const std::string&) {};
  std::string remedy = {};  // engine::OperationDeps::remedy

  AuthorityFiles place() const;
  std::chrono::sys_seconds Now() const;
  // Returns the options of a wait on this node, with the timeout `limit`.
  kube::WaitOptions Waiting(std::chrono::milliseconds limit) const;
  // Returns the time within which a restarting etcd or API server must answer: 4 minutes, or
  // timeouts.kubernetesAPICall if that is longer.
  std::chrono::milliseconds RestartPatience() const;
  // Returns whether the run replaces the authority of this row ("ca": certs::kCa).
  bool Rotates(std::string_view row) const { return authority.row == row; }
};

// Checks that this node uses the authority. Throws base::Error(kInvalid) on a worker if only the
// control plane uses it.
void CheckRole(const Node& node);

// Checks that the authority can be replaced on this node. Throws base::Error(kInvalid) if the CA is
// external, or if its files are missing.
void CheckAuthority(const Node& node);

// The user's options for a run.
struct RotationOptions {
  bool again = false;  // start another rotation after a complete one
  bool early = false;  // do not wait for the replacement of tokens
  // Nodes for which the steps do not wait. For example, a compromised node must not delay the
  // rotation.
  std::vector<std::string> leave_behind = {};
};

// Collects the facts from the node's files and the cluster. Throws base::Error(kUsage) if
// RotationOptions::leave_behind names this node, or a node for which the steps do not wait anyway.
Situation CollectSituation(const Node& node, const RotationOptions& options);

}  // namespace ca_rotation
