// SPDX-License-Identifier: Apache-2.0
// Why a control plane does not come up: facts of the node in, culprit out.
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
#include <vector>

#include "diagnosis/facts.h"
#include "diagnosis/finding.h"

namespace diagnosis {

// Returns a finding for each component that has failed and is not healthy, in the order of their
// dependencies: etcd, API server, controller manager, scheduler.
std::vector<Finding> JudgeContainers(const ControlPlaneFacts& facts);

// Blames a component that is certain to fail, else the first unhealthy one of kubelet, runtime,
// etcd, API server, controller manager, scheduler: the failure of one makes the later ones fail
// too. Returns std::nullopt if all seem healthy so far.
std::optional<Finding> Diagnose(const ControlPlaneFacts& facts);

// Returns a finding about a component, of those that were waited for in vain, without a container
// in the runtime; std::nullopt if each has one, or the runtime did not answer. Meaningful only
// after the wait: before that the kubelet may still create one.
std::optional<Finding> NeverStarted(std::span<const std::string> components,
                                    const ControlPlaneFacts& facts);

// The findings about common dependencies of all components.
Finding KubeletIsDead(const std::string& problem);
Finding RuntimeIsDead(const std::string& problem);

}  // namespace diagnosis
