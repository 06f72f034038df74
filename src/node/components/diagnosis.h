// SPDX-License-Identifier: Apache-2.0
// Why a control plane does not come up: facts of the node in, findings out.
//
// A certain finding ends a wait, so it must never be false. It takes two consecutive failures of
// the component itself, with the same words and a permanent cause (by its row, or by a fact: a full
// disk, a missing file where nothing is mounted), and no running container. Every other finding is
// likely, and only shown.
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

// Returns the finding about a permanent failure, else about the first unhealthy one of kubelet,
// runtime, etcd, API server, controller manager, scheduler: components that depend on a failing one
// fail too. Returns std::nullopt if all seem healthy so far.
std::optional<checks::Finding> Diagnose(const ControlPlaneFacts& facts);

// For a component without a container in the runtime, after an unsuccessful wait. Returns
// std::nullopt for a component that has one, or if the runtime has not answered. Only valid after
// the wait: until then a kubelet may be about to start it.
std::optional<checks::Finding> NeverStarted(std::span<const std::string> components,
                                            const ControlPlaneFacts& facts);

// The findings about the common requirements of all components.
checks::Finding KubeletIsDead(const std::string& problem);
checks::Finding RuntimeIsDead(const std::string& problem);

}  // namespace components
