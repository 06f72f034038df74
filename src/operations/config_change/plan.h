// SPDX-License-Identifier: Apache-2.0
// What a new configuration changes on this node and in the cluster, and what is restarted for it,
// in which order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/difference.h"
#include "config_change/field_table.h"
#include "config_change/gather.h"
#include "upgrade/control_plane.h"

namespace config_change {

// PlannedField is a field that changes, and what that takes.
struct PlannedField {
  config::Difference difference;
  const FieldRow* row;
};

// Plan is all that is to be done on this node.
struct Plan {
  config::Init to;
  std::vector<PlannedField> fields;
  std::vector<std::string_view> certificates;  // issued again: names of certs::Tree
  std::vector<upgrade::PodChange> pods;        // in their order
  bool kubelet = false;                        // its file here changes
  bool core_dns = false;
  bool kube_proxy = false;
};

// MakePlan compares the configurations, and what the new one renders with what is on disk. Throws
// base::Error(kInvalid) that names each field which cannot be changed, and why.
Plan MakePlan(const Sources& sources, const config::Init& from, const config::Init& to);

// MakeNodePlan is that of a node which takes over what the cluster stores already: its own fields
// are as they are, so there are none.
Plan MakeNodePlan(const Sources& sources, const config::Init& to);

// IsEmpty: nothing is to be done, nor stored.
bool IsEmpty(const Plan& plan);

// TextOf is for people: the fields, then the steps in their order.
std::string TextOf(const Plan& plan);

}  // namespace config_change
