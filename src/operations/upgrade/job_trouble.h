// SPDX-License-Identifier: Apache-2.0
// What holds a Job up that does not end: whose turn it is, and what is known of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "components/table.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace upgrade {

// JobTrouble says how far the Pod of a Job is that does not end.
struct JobTrouble {
  std::string text;
  // Whose turn it is, if it is the turn of a component that elects a leader.
  std::optional<components::Component> waits_for = std::nullopt;
  // It is its kubelet's, which has not taken notice of the Pod (one that has lost its API server
  // looks for it again after up to a minute), or is at it, since whose turn it was before were
  // late.
  bool kubelet_is_late = false;
};

// TroubleOf is what holds a Job with these Pods up: who has not done their part of them, or what
// the scheduler or the kubelet reports of the first.
JobTrouble TroubleOf(const std::vector<json::Value>& pods);

// DescribeLeader says what is known of a component that does not do its part: when its Lease was
// renewed last and by whom, what its Pods wait for. "" when the cluster knows nothing.
std::string DescribeLeader(kube::Client& client, components::Component component);

}  // namespace upgrade
