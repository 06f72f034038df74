// SPDX-License-Identifier: Apache-2.0
// Diagnoses why a control plane does not start: from the facts of the node to findings.
//
// A certain finding ends a wait, so it must never be false. It requires two consecutive failures of
// the component itself, with the same error and a permanent cause, and no running container. The
// cause is permanent by its row, or by a fact: a full disk, or a missing file outside of all
// mounts. Every other finding is likely; it is only shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checks/finding.h"
#include "components/facts.h"

namespace components {

// Returns a finding for each component that has failed and is unhealthy, in the order of their
// dependencies: etcd, API server, controller manager, scheduler.
checks::Findings JudgeContainers(const ControlPlaneFacts& facts);

// Returns the finding about a permanent failure. Without one, returns the finding about the first
// unhealthy program in this order: kubelet, runtime, etcd, API server, controller manager,
// scheduler. Reason: programs that depend on a failing program fail, too. Returns std::nullopt if
// all seem healthy so far.
std::optional<checks::Finding> Diagnose(const ControlPlaneFacts& facts);

// Returns a finding for a component that has no container in the runtime. Returns std::nullopt if
// all have one, or if the runtime has not answered. Call this function only after a wait has timed
// out: before the timeout, the kubelet may be about to start the container.
std::optional<checks::Finding> NeverStarted(std::span<const std::string> components,
                                            const ControlPlaneFacts& facts);

// The findings about the common requirements of all components.
checks::Finding KubeletIsDead(const std::string& problem);
checks::Finding RuntimeIsDead(const std::string& problem);

}  // namespace components
