// SPDX-License-Identifier: Apache-2.0
// The shared data of an upgrade's phases, of the cluster or of one node.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "control_plane/record.h"
#include "steps/node/data.h"
#include "stored_config/this_node.h"
#include "upgrade/policy.h"
#include "upgrade_path/kubelet_step.h"

namespace upgrade_steps {

namespace fs = std::filesystem;

// Selects whether an upgrade begins a soak, ends it, or leaves it unchanged (upgrade/soak.h).
enum class Soak { kLeave, kBegin, kEnd };

// The values of flags, or of a configuration in their place.
struct UpgradeOptions {
  Soak soak = Soak::kLeave;
  bool etcd = true;
  bool renew_certificates = true;
  bool force = false;
  bool yes = false;
  bool print_config = false;
  bool discard_drift = false;  // whether the upgrade reverts manual edits without a warning
  // If true, the upgrade reverts manual edits with a warning, but without a question.
  bool lose_edits = false;
  bool backup = true;      // back this node up before its first change (`apply`)
  bool with_data = false;  // roll etcd's data back as well
  std::string only_to;     // rolls back only an upgrade to this version, "v1.37.2"; "": any
  // Skips the wait of WaitForMirrors, because the next step includes the same wait. The next step
  // replaces the kubelet. A new kubelet recreates its mirror Pods immediately, an old one only at
  // its next retry.
  bool settles_later = false;
  // The programs for the upgrade of this node's kubelet. If both this list and `kubelet_command`
  // are empty, the kubelet is not upgraded.
  std::vector<upgrade_path::KubeletProgram> kubelets;
  std::string kubelet_command;
  upgrade::Unstable allowed;
  // Set by RollBack if no upgrade to `only_to` has changed the node.
  bool nothing_to_undo = false;
};

// Shared by the phases of `upgrade apply` and `upgrade node`, and their rollback.
class UpgradeData : public node_steps::NodeData {
 public:
  enum class Command { kApply, kNode };
  UpgradeData(Command which, steps::World& of_run)
      : NodeData(of_run, kubeconfigs::InitSpecs()), command(which) {}

  const Command command;
  UpgradeOptions upgrade_options;
  std::optional<config::Timeouts> timeouts;
  std::string wanted_version;  // of `upgrade apply`, with version labels resolved
  // Asks the user; returns true for a yes.
  std::function<bool(const std::string& question)> confirm;

  // Returns whether this node is a control-plane node: it has a manifest of an API server.
  bool ControlPlane() const;
  // Returns the target version of the node; for `upgrade node` unknown before LoadCluster.
  const std::string& Version() const {
    return command == Command::kApply ? wanted_version : config.cluster.kubernetes_version;
  }
  // Sets `config` on the first call: the stored configuration with this node's part. For `upgrade
  // apply` also sets the wanted version, and applies the change of the soak option. Throws the
  // errors of control_plane::BeginSoak. For Soak::kEnd throws base::Error: kConflict if the cluster
  // does not have the wanted version yet, kNotFound if the last upgrade is complete and the control
  // plane does not soak.
  void LoadCluster(workflow::Context& context);
  // Returns the record of this upgrade of the node. Precondition: LoadCluster has been called.
  control_plane::UpgradeRecord& Record() { return record_; }

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return timeouts; }
  steps::Transports ClientTransports(std::stop_token) const override;

 private:
  stored_config::FetchedConfig Fetch(kube::Client& client) const;
  void ChangeSoak(const std::string& stored_version);
  void RequireSoak(const std::string& stored_version) const;

  std::mutex cluster_mutex_;
  bool cluster_is_loaded_ = false;  // guarded by cluster_mutex_, like writes to `config`
  control_plane::UpgradeRecord record_;
};

}  // namespace upgrade_steps
