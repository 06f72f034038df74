// SPDX-License-Identifier: Apache-2.0
// What all phases of an upgrade see, of the cluster or of one node.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "node_steps/data.h"
#include "upgrade/policy.h"
#include "upgrade/record.h"
#include "upgrade/this_node.h"
#include "upgrade_path/kubelet_step.h"

namespace upgrade_steps {

namespace fs = std::filesystem;

// UpgradeOptions are the flags, or what a configuration says in their place.
struct UpgradeOptions {
  bool etcd = true;
  bool renew_certificates = true;
  bool force = false;
  bool yes = false;
  bool print_config = false;
  bool discard_drift = false;  // without a warning
  bool lose_edits = false;     // with one, and no question
  bool copies_etcd = false;    // upgrade::Node::copies_etcd
  // What follows waits for what WaitForMirrors does: after a kubelet was replaced, which makes its
  // mirror Pods again at once, and not when it tries again.
  bool settles_later = false;
  // The kubelet goes along: from these programs, or by a command; neither: it stays what it is.
  std::vector<upgrade_path::KubeletProgram> kubelets;
  std::string kubelet_command;
  upgrade::Unstable allowed;
};

// UpgradeData is what the phases of `upgrade apply` and `upgrade node`, and their undoing, share.
class UpgradeData : public node_steps::NodeData {
 public:
  enum class Command { kApply, kNode };
  UpgradeData(Command which, world::World& of_run)
      : NodeData(of_run, kubeconfigs::InitSpecs()), command(which) {}

  const Command command;
  UpgradeOptions upgrade_options;
  std::optional<config::Timeouts> timeouts;
  std::string wanted_version;  // of apply, resolved
  // Asks the user; true for a yes.
  std::function<bool(const std::string& question)> confirm;

  // ControlPlane tells whether this node is one: it has a manifest of an API server.
  bool ControlPlane() const;
  // Version is the one that the node is brought to; of `upgrade node` not known before LoadCluster.
  const std::string& Version() const {
    return command == Command::kApply ? wanted_version : config.cluster.kubernetes_version;
  }
  // LoadCluster completes `config` at first need: what the cluster keeps, with this node's part,
  // and for apply the wanted version in it.
  void LoadCluster(workflow::Context& context);
  // Record of what this upgrade does to the node; not to be used before LoadCluster.
  upgrade::Record& Record() { return record_; }

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return timeouts; }
  world::Transports ClientTransports(std::stop_token) const override;

 private:
  upgrade::FetchedConfig Fetch(kube::Client& client) const;

  std::mutex cluster_mutex_;
  bool cluster_is_loaded_ = false;  // guarded by cluster_mutex_, as the writing of `config`
  upgrade::Record record_;
};

}  // namespace upgrade_steps
