// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm join`, in order: reading the list is reading the product.
#pragma once

#include <vector>

#include "kubeadm/join/data.h"
#include "workflow/phase.h"

namespace kubeadm {

using JoinPhase = workflow::Phase<JoinData>;

std::vector<JoinPhase> JoinPhases();

// The children of the groups, each beside the bodies of its phases.
std::vector<JoinPhase> JoinPreflightSteps();        // preflight.cc
std::vector<JoinPhase> ControlPlanePrepareSteps();  // prepare.cc

// WithDiscovery is the flags by which a phase finds the cluster, and `more`.
std::vector<std::string> WithDiscovery(std::vector<std::string> more);

// Bodies of the phases that stand alone.
void CheckEtcd(JoinData& data, workflow::Context& context);            // etcd.cc
void JoinEtcd(JoinData& data, workflow::Context& context);             // etcd.cc
void StartJoiningKubelet(JoinData& data, workflow::Context& context);  // kubelet.cc
void WaitForBootstrap(JoinData& data, workflow::Context& context);     // kubelet.cc
// CheckNameIsFree throws when a Ready node of this name is another machine.
void CheckNameIsFree(JoinData& data, workflow::Context& context);  // kubelet.cc

}  // namespace kubeadm
