// SPDX-License-Identifier: Apache-2.0
// Diagnosis of a Job that does not end: the component that must act next, and its known state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "components/table.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace upgrade {

// The progress of the Pod of an unfinished Job.
struct JobTrouble {
  std::string text;
  // The component that must act next, if it elects a leader.
  std::optional<components::Component> waits_for = std::nullopt;
  // True if the kubelet must act next. Either it has not acknowledged the Pod: after the loss of
  // its API server it may wait up to a minute before it retries. Or it still works on the Pod,
  // because the components before it were late.
  bool kubelet_is_late = false;
};

// Returns why a Job with these Pods is unfinished: the component that has not acted yet, or the
// report of the scheduler or the kubelet about the first Pod.
JobTrouble TroubleOf(const std::vector<json::Value>& pods);

// Returns the known state of a component that does not act. The state consists of the holder and
// the last renewal of its Lease, and of the reasons why its Pods wait. Returns "" if the cluster
// has no information.
std::string DescribeLeader(kube::Client& client, components::Component component);

}  // namespace upgrade
