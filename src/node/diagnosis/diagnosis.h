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
#include "diagnosis/facts.h"

namespace diagnosis {

// JudgeContainers is a finding for each component that has failed and is not healthy, in the order
// in which they need each other: etcd, API server, controller manager, scheduler.
checks::Findings JudgeContainers(const ControlPlaneFacts& facts);

// Diagnose blames what is certain to fail, else the first of kubelet, runtime, etcd, API server,
// controller manager, scheduler that is not well: what runs on top of a failing one fails too.
// Nothing when all seems well so far.
std::optional<checks::Finding> Diagnose(const ControlPlaneFacts& facts);

// NeverStarted is about a component, of those that were waited for in vain, of which the runtime
// has no container: nothing for a component that has one, or where the runtime has not told. Of
// meaning only once the wait is over: until then a kubelet may be on its way.
std::optional<checks::Finding> NeverStarted(std::span<const std::string> components,
                                            const ControlPlaneFacts& facts);

// The findings about what all components need.
checks::Finding KubeletIsDead(const std::string& problem);
checks::Finding RuntimeIsDead(const std::string& problem);

}  // namespace diagnosis
