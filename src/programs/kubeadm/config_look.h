// SPDX-License-Identifier: Apache-2.0
// The inputs of commands that compare or change a configuration: drift and config apply.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config_change/gather.h"
#include "config_change/operation.h"
#include "host/host.h"
#include "kube/client.h"
#include "kubeadm/node_lock.h"

namespace kubeadm {

// Returns the flags --kubeconfig and --patches.
std::vector<cli::Flag> LookFlags();

// Returns the flags of LookFlags for commands below `kubeadm config`. --kubeconfig is left out,
// because `kubeadm config` itself has this flag.
std::vector<cli::Flag> ConfigLookFlags();

// Owns the inputs of a comparison, which refer to each other. `flags` must contain LookFlags.
// `host` must outlive the object. Without --patches, uses the patches that were made from edits on
// this node, if they exist. Without --kubeconfig, a worker connects as its kubelet.
class Look : public std::enable_shared_from_this<Look> {
 public:
  Look(const cli::Parsed& flags, host::Host& host);
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  const config_change::Sources& Sources() const { return sources_; }
  const config::Facts& Facts() const { return facts_; }
  // Waits for the API server that an interrupted upgrade was replacing.
  void AwaitServer(const base::ShowLine& say);
  // Returns the dependencies of a change, which share the ownership of this object. Precondition: a
  // shared_ptr owns this object.
  config_change::Deps ChangeDeps(base::ShowLine say);

 private:
  host::Host& host_;
  std::chrono::system_clock::time_point start_;
  config::Facts facts_;
  kube::Client client_;
  std::optional<node_input::PatchSet> patches_;
  config_change::Sources sources_;
};

}  // namespace kubeadm
