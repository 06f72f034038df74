// SPDX-License-Identifier: Apache-2.0
// What each step of a rotation does, for each authority: a table. What is written follows from the
// step alone (ca_files.h); here stands what is done before and after.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "components/table.h"

namespace ca_rotation {

// Precondition is what has to be so before a step writes anything on a node of the control plane.
enum class Precondition {
  kNothing,
  kPodsTrust,      // Pods are given the new certificate, and the addons have read it
  kNoOldTokens,    // no Secret holds a token of the old key, which nobody would renew
  kEtcdIsHealthy,  // all members, since this node's is to be restarted
};

// Restarts of a step: static Pods in the order in which to restart them, and the kubelet. The API
// server and etcd read some of their files again by themselves: no restart is listed for those.
struct Restarts {
  std::vector<components::Component> components;
  bool kubelet = false;
};

// Reload is what is read again without a restart, and how that is seen.
enum class Reload {
  kNothing,
  kEtcdShows,     // etcd shows the certificate that lies on disk
  kApiTrusts,     // the API server lets in whom the new authority has signed
  kApiDistrusts,  // the API server refuses whom the old authority has signed
};

// StepRow is a step of an authority, whose name is a literal, on a node of the control plane.
// Workers only write, and restart the kubelet.
struct StepRow {
  std::string_view authority;
  Step step;
  Precondition precondition = Precondition::kNothing;
  bool reissues_kubelet = false;  // the kubelet's certificate is written, too
  Restarts restarts = {};
  Reload reload = Reload::kNothing;
  // What the cluster is told afterwards.
  bool publishes = false;  // ConfigMap cluster-info names the authorities that are in use
  bool forgets = false;    // ConfigMap extension-apiserver-authentication loses the old one
};

// StepRows has a row for each authority and step.
std::span<const StepRow> StepRows();
const StepRow& RowOf(const Authority& authority, Step step);

}  // namespace ca_rotation
