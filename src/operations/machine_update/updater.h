// SPDX-License-Identifier: Apache-2.0
// Updates of Machines in place: an operation in the workload cluster for each of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/clock.h"
#include "kube/client.h"
#include "machine_update/node_operation.h"

namespace machine_update {

// Dependencies of Updater, which must outlive it.
struct UpdaterDeps {
  kube::Client& management;
  // Connects to the cluster of a kubeconfig (workload.h). Throws base::Error of any kind.
  std::function<std::unique_ptr<kube::Transport>(const std::string& kubeconfig)> connect;
  host::Clock& clock;
  KubeletSource kubelets;
};

// The state of an update, and a sentence about it.
struct UpdateState {
  enum class Stage { kRunning, kDone, kFailed } stage = Stage::kRunning;
  std::string message;  // on failure the cause and the remedy
};

// Thread-safe.
class Updater {
 public:
  explicit Updater(UpdaterDeps deps) : deps_(std::move(deps)) {}

  // Begins the update of a Machine, or reports the state of the update that a previous call has
  // begun. Reads the desired state from the management cluster, so that a caller can begin only
  // updates that Cluster API waits for. Returns kRunning for errors that a repeated call may not
  // have, such as a workload cluster that does not answer. Returns
  // kFailed for all other errors. Makes at most nine requests, and does not wait for the operation.
  UpdateState Update(std::string_view name_space, std::string_view name) const;

  // Returns the version of a workload cluster (CollectClusterVersion). Throws base::Error of any
  // kind.
  std::string CollectVersionOf(std::string_view name_space, std::string_view cluster) const;

  bool UpgradesKubelets() const { return deps_.kubelets.IsSet(); }

 private:
  kube::Client Connect(std::string_view name_space, std::string_view cluster) const;
  UpdateState Advance(const UpdatedMachine& machine) const;

  const UpdaterDeps deps_;
};

}  // namespace machine_update
