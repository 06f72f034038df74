// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm init`, in order: reading the list is reading the product.
#pragma once

#include <vector>

#include "kubeadm/init/data.h"
#include "workflow/phase.h"

namespace kubeadm {

using InitPhase = workflow::Phase<InitData>;

std::vector<InitPhase> InitPhases();

// The children of the groups, each beside the bodies of its phases.
std::vector<InitPhase> PreflightSteps();      // preflight.cc
std::vector<InitPhase> CertificatePhases();   // certs.cc
std::vector<InitPhase> KubeconfigPhases();    // kubeconfigs.cc
std::vector<InitPhase> EtcdPhases();          // manifests.cc
std::vector<InitPhase> ControlPlanePhases();  // manifests.cc
std::vector<InitPhase> WaitSteps();           // wait.cc
std::vector<InitPhase> UploadConfigPhases();  // cluster.cc
std::vector<InitPhase> AddonPhases();         // addons.cc

// Bodies of the phases that stand alone, and of the groups that say a line first.
void WriteAndStartKubelet(InitData& data, workflow::Context& context);
void UploadCertificates(InitData& data, workflow::Context& context);
void MakeBootstrapTokens(InitData& data, workflow::Context& context);
void EnableClientCertRotation(InitData& data, workflow::Context& context);
void ShowJoinCommand(InitData& data, workflow::Context& context);

}  // namespace kubeadm
