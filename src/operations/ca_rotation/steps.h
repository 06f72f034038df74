// SPDX-License-Identifier: Apache-2.0
// The table of a rotation's steps, for each authority. The written files follow from the step alone
// (ca_files.h); this table has the actions before and after.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "components/table.h"

namespace ca_rotation {

// The precondition of a step's first write on a node of the control plane.
enum class Precondition {
  kNothing,
  kPodsTrust,      // Pods are given the new certificate, and the addons have read it
  kNoOldTokens,    // no Secret contains a token of the old key, which is never renewed
  kEtcdIsHealthy,  // all members, since this node's is to be restarted
};

// Restarts of a step: static Pods in order, and the kubelet. The API server and etcd reload some of
// their files by themselves: no restart is listed for those.
struct Restarts {
  std::vector<components::Component> components;
  bool kubelet = false;
};

// Files that are reloaded without a restart, and the evidence.
enum class Reload {
  kNothing,
  kEtcdShows,     // etcd presents the certificate on disk
  kApiTrusts,     // the API server accepts clients of the new authority
  kApiDistrusts,  // the API server refuses clients of the old authority
};

// A step of an authority, whose name is a literal, on a node of the control plane. Workers only
// write, and restart the kubelet.
struct StepRow {
  std::string_view authority;
  Step step;
  Precondition precondition = Precondition::kNothing;
  bool reissues_kubelet = false;  // the kubelet's certificate is written, too
  Restarts restarts = {};
  Reload reload = Reload::kNothing;
  // The objects that are updated afterwards.
  bool publishes = false;  // ConfigMap cluster-info names the active authorities
  bool forgets = false;    // ConfigMap extension-apiserver-authentication loses the old one
};

// Has a row for each authority and step.
std::span<const StepRow> StepRows();
const StepRow& RowOf(const Authority& authority, Step step);

}  // namespace ca_rotation
