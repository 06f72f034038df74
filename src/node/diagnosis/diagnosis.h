// SPDX-License-Identifier: Apache-2.0
// Why a control plane does not come up: facts of the node in, culprit out.
//
// A certain finding ends a wait, so it must never be false. It takes two failures of the
// component's own, in a row, which ended with the same words, of a cause that cannot pass (its row
// says so, or a fact: a full disk, a missing file where nothing is mounted), and nothing that runs
// now. Everything else is likely, and only shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/facts.h"
#include "diagnosis/finding.h"

namespace diagnosis {

// JudgeContainers is a finding for each component that has failed and is not healthy, in the order
// in which they need each other: etcd, API server, controller manager, scheduler.
std::vector<Finding> JudgeContainers(const ControlPlaneFacts& facts);

// Diagnose blames what is certain to fail, else the first of kubelet, runtime, etcd, API server,
// controller manager, scheduler that is not well: what runs on top of a failing one fails too.
// Nothing when all seems well so far.
std::optional<Finding> Diagnose(const ControlPlaneFacts& facts);

// NeverStarted is about a component, of those that were waited for in vain, of which the runtime
// has no container: nothing for a component that has one, or where the runtime has not told. Of
// meaning only once the wait is over: until then a kubelet may be on its way.
std::optional<Finding> NeverStarted(std::span<const std::string> components,
                                    const ControlPlaneFacts& facts);

// The findings about what all components need.
Finding KubeletIsDead(const std::string& problem);
Finding RuntimeIsDead(const std::string& problem);

}  // namespace diagnosis
