// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm init`, in order: reading the list is reading the product.
#pragma once

#include <vector>

#include "init_steps/data.h"
#include "workflow/phase.h"

namespace kubeadm {

namespace fs = std::filesystem;
using init_steps::InitData;
using InitPhase = workflow::Phase<InitData>;

std::vector<InitPhase> InitPhases();

// The children of the groups whose rows are made from tables, or are many.
std::vector<InitPhase> CertificatePhases();   // certs.cc
std::vector<InitPhase> KubeconfigPhases();    // kubeconfigs.cc
std::vector<InitPhase> EtcdPhases();          // manifests.cc
std::vector<InitPhase> ControlPlanePhases();  // manifests.cc
std::vector<InitPhase> AddonPhases();         // addons.cc

// ShowJoinCommand ends a run: how to use the cluster, and how others join it.
void ShowJoinCommand(InitData& data, workflow::Context& context);

}  // namespace kubeadm
