// The phases of `kubeadm join`, in order: reading the list is reading the product.
#pragma once

#include <vector>

#include "kubeadm/join/data.h"
#include "workflow/phase.h"

namespace kubeadm {

using JoinPhase = workflow::Phase<JoinData>;

std::vector<JoinPhase> JoinPhases();

// The children of the groups, each beside the bodies of its phases.
std::vector<JoinPhase> JoinPreflightSteps();        // join_preflight.cc
std::vector<JoinPhase> ControlPlanePrepareSteps();  // join_prepare.cc

// Bodies of the phases that stand alone.
void CheckEtcd(JoinData& data, workflow::Context& context);            // join_etcd.cc
void JoinEtcd(JoinData& data, workflow::Context& context);             // join_etcd.cc
void StartJoiningKubelet(JoinData& data, workflow::Context& context);  // join_kubelet.cc
void WaitForBootstrap(JoinData& data, workflow::Context& context);     // join_kubelet.cc
// CheckNameIsFree throws when a Ready node of this name is another machine.
void CheckNameIsFree(JoinData& data, workflow::Context& context);  // join_kubelet.cc

}  // namespace kubeadm
