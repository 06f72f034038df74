// SPDX-License-Identifier: Apache-2.0
// The inputs of commands that compare or change a configuration: drift and config apply.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config_change/apply.h"
#include "config_change/gather.h"
#include "host/host.h"
#include "kube/client.h"
#include "kubeadm/node_lock.h"

namespace kubeadm {

// --kubeconfig and --patches.
std::vector<cli::Flag> LookFlags();

// Those of the commands of `kubeadm config`, which has --kubeconfig itself.
std::vector<cli::Flag> ConfigLookFlags();

// Acquires the node's lock. During a trial's rollback it waits for that.
LockRequest ConfigLock(const host::Host& host, base::ShowLine say);

// Owns objects that refer to each other. The flags are those above; `host` must outlive it. Without
// --patches the patches made from edits on this node are used, if any; without --kubeconfig a
// worker connects as its kubelet.
class Look {
 public:
  Look(const cli::Parsed& flags, host::Host& host);
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  const config_change::Sources& Sources() const { return sources_; }
  const config::Facts& Facts() const { return facts_; }
  // Waits for the API server that an interrupted upgrade was replacing.
  void AwaitServer(const base::ShowLine& say);
  // Returns an engine that uses the runtime of that socket. It refers to this object.
  config_change::Engine Engine(const config::Init& config, base::ShowLine say);

 private:
  host::Host& host_;
  std::chrono::system_clock::time_point start_;
  config::Facts facts_;
  kube::Client client_;
  std::optional<patches::PatchSet> patches_;
  config_change::Sources sources_;
  std::unique_ptr<cri::Runtime> runtime_;
};

}  // namespace kubeadm
