// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm init`, in order.
#pragma once

#include <vector>

#include "steps/init/data.h"
#include "workflow/phase.h"

namespace kubeadm {

namespace fs = std::filesystem;
using init_steps::InitData;
using InitPhase = workflow::Phase<InitData>;

std::vector<InitPhase> InitPhases();

// The children of groups that have many rows, or rows from tables. Each is defined in the file
// named next to it.
std::vector<InitPhase> CertificatePhases();   // certs.cc
std::vector<InitPhase> KubeconfigPhases();    // kubeconfigs.cc
std::vector<InitPhase> EtcdPhases();          // manifests.cc
std::vector<InitPhase> ControlPlanePhases();  // manifests.cc
std::vector<InitPhase> AddonPhases();         // addons.cc

// The last phase of a run, which prints instructions to use the cluster and to join other nodes.
void ShowJoinCommand(InitData& data, workflow::Context& context);

}  // namespace kubeadm
