// SPDX-License-Identifier: Apache-2.0
// The table of a rotation's steps for each authority: the actions before and after the files are
// written. The step alone determines the files (ca_files.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "components/table.h"

namespace ca_rotation {

// The precondition of a step's first write on a control-plane node.
enum class Precondition {
  kNothing,
  kPodsTrust,    // all Pods and addons have the new certificate
  kNoOldTokens,  // no Secret contains a token of the old key
  // All etcd members are healthy. Required by a step that restarts this node's member.
  kEtcdIsHealthy,
};

// The restarts of a step: static Pods in order, and the kubelet. The API server and etcd are not
// restarted for files that they reload.
struct Restarts {
  std::vector<components::Component> components;
  bool kubelet = false;
};

// The evidence that a component has reloaded its files without a restart.
enum class Reload {
  kNothing,
  kEtcdShows,     // etcd presents the certificate on disk
  kApiTrusts,     // the API server accepts clients of the new authority
  kApiDistrusts,  // the API server refuses clients of the old authority
};

// A step of one authority on a control-plane node. On a worker, a step only writes the worker's
// files and restarts the kubelet. `authority` must be a literal.
struct StepRow {
  std::string_view authority;
  Step step;
  Precondition precondition = Precondition::kNothing;
  bool reissues_kubelet = false;  // whether the kubelet's certificate is written, too
  Restarts restarts = {};
  Reload reload = Reload::kNothing;
  // The updates of the cluster's objects after the step.
  // True if cluster-info and the published CAs of kubelets are updated (UpdateKubeletTrust).
  bool publishes = false;
  // True if the old CA is removed from ConfigMap extension-apiserver-authentication.
  bool forgets = false;
};

// Returns the table: a row for each authority and step.
std::span<const StepRow> StepRows();
const StepRow& RowOf(const Authority& authority, Step step);

}  // namespace ca_rotation
