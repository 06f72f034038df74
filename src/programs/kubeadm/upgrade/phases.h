// SPDX-License-Identifier: Apache-2.0
// The phases of `kubeadm upgrade apply` and `kubeadm upgrade node` (reference: phases.md §3, §4).
#pragma once

#include <vector>

#include "kubeadm/upgrade/data.h"
#include "workflow/phase.h"

namespace kubeadm {

using UpgradePhase = workflow::Phase<UpgradeData>;

std::vector<UpgradePhase> UpgradeApplyPhases();
std::vector<UpgradePhase> UpgradeNodePhases();

// drift.cc
// UseAdoptedPatches takes the patches that came from edits on this node where the user names none.
void UseAdoptedPatches(UpgradeData& data);
// WarnOfDrift names what was changed by hand, on this node and in the addons' objects, and is lost;
// the old files are kept. It never ends a run; what cannot be seen it names, too.
void WarnOfDrift(UpgradeData& data, workflow::Context& context);

// Their bodies. Those about the control plane say so and do nothing on a node that has none.
void UpgradePreflight(UpgradeData& data, workflow::Context& context);
void UpgradeControlPlane(UpgradeData& data, workflow::Context& context);
void UploadUpgradedConfig(UpgradeData& data, workflow::Context& context);
void UploadUpgradedKubeletConfig(UpgradeData& data, workflow::Context& context);
void UpgradeKubeconfig(UpgradeData& data, workflow::Context& context);
void UpgradeKubeletConfig(UpgradeData& data, workflow::Context& context);
void UpgradeBootstrapRules(UpgradeData& data, workflow::Context& context);
void UpgradeCoreDns(UpgradeData& data, workflow::Context& context);
void UpgradeKubeProxy(UpgradeData& data, workflow::Context& context);
void PostUpgrade(UpgradeData& data, workflow::Context& context);

// PodUpgradeOf and UndoUpgrade serve both a failed upgrade and `upgrade rollback`.
// UndoUpgrade puts this node's static Pods and kubelet configuration back as the record has them.
void UndoUpgrade(UpgradeData& data, workflow::Context& context);

}  // namespace kubeadm
