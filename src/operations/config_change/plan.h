// SPDX-License-Identifier: Apache-2.0
// The changes of a new configuration to this node and the cluster, and the required restarts in
// order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/difference.h"
#include "config_change/field_table.h"
#include "config_change/gather.h"
#include "control_plane/pod_changes.h"

namespace config_change {

// A changed field, and the required actions.
struct PlannedField {
  config::Difference difference;
  const FieldRow* row;
};

// All actions on this node.
struct Plan {
  config::Init to;
  std::vector<PlannedField> fields;
  std::vector<std::string_view> certificates;  // to reissue: names of certs::Tree
  std::vector<control_plane::PodChange> pods;  // in their order
  bool kubelet = false;                        // the kubelet's file changes
  bool stores = false;                         // the cluster stores the new configuration
  bool core_dns = false;
  bool kube_proxy = false;
};

// Plans the change from one configuration to another, and compares the new configuration's files
// with the files on disk. Throws base::Error(kInvalid) if a field cannot be changed, or if the
// nodes cannot use a new value. The message names each such field and the reason.
Plan MakePlan(const Sources& sources, const config::Init& from, const config::Init& to);

// Plans the application of the cluster's stored configuration to this node. No field changes, and
// no configuration is stored.
Plan MakeNodePlan(const Sources& sources, const config::Init& to);

// Returns whether no action is needed and no configuration must be stored.
bool IsEmpty(const Plan& plan);

// Formats the plan for humans, without its steps: the fields that change.
std::string TextOf(const Plan& plan);

}  // namespace config_change
