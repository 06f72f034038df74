// SPDX-License-Identifier: Apache-2.0
// The steps of an upgrade, each the body of a phase. They log their actions. Steps of the control
// plane log that they are skipped on a node without one. node_steps has the parts that are common
// with init and join; upgrade has the decisions and changes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "steps/upgrade/data.h"
#include "workflow/context.h"

namespace upgrade_steps {

// preflight.cc
inline constexpr std::string_view kAreYouSure =
    "[upgrade] Are you sure you want to proceed? [y/N]: ";
inline constexpr std::string_view kNoConsent = "won't proceed: not confirmed; nothing was changed";
// Asks the user for consent, unless --yes was given. Throws base::Error(kOther) for any answer but
// yes.
void RequireConsent(const UpgradeData& data);
// Checks the upgrade, throws with all complaints, and pulls the images.
void UpgradePreflight(UpgradeData& data, workflow::Context& context);

// drift.cc: PatchesOrAdopted returns `given`, the directory of the user's patches. For "" it
// returns that of patches made from edits on this node, or "" if it does not exist.
// UseAdoptedPatches sets the directory of a run.
fs::path PatchesOrAdopted(const fs::path& given, const host::Files& files);
void UseAdoptedPatches(UpgradeData& data);
// Asks the user whether this number of edits may be lost. No question is asked with --yes or
// --force, in a continued run, or by `upgrade node` without a terminal. Throws base::Error(kOther)
// for any answer but yes.
void RequireLeave(UpgradeData& data, std::size_t edits);
// Names the manual changes, on this node and in the addons' objects, that would be lost. Asks
// (RequireLeave), and keeps a copy of them; --discard-drift discards them. It also names unreadable
// parts, and continues.
void HandleDrift(UpgradeData& data, workflow::Context& context);

// control_plane.cc
void UpgradeControlPlane(UpgradeData& data, workflow::Context& context);
// Restores this node's static Pods from the backups of the record.
void UndoControlPlane(UpgradeData& data, workflow::Context& context);

// backup.cc
// Backs this node up and returns the path of the backup; "" with a warning if the disk has too
// little space. Throws the errors of backup::Create, saying that nothing was changed.
std::string BackUpNode(UpgradeData& data, cri::Runtime& runtime, workflow::Context& context);
// Names the backup whose data a rollback restores, and counts the writes that are lost. Throws
// base::Error(kConflict), before any change, if the data cannot be restored: etcd is external or
// has several members, or the record has no backup. Throws the errors of ReadBackup for a damaged
// backup. No effect for data that an interrupted rollback has restored.
void RequireRestorableData(const upgrade::UpgradeRecord& record, host::Host& host,
                           workflow::Context& context);

// cluster.cc
void UploadUpgradedConfig(UpgradeData& data, workflow::Context& context);
void UploadUpgradedKubeletConfig(UpgradeData& data, workflow::Context& context);
void UpgradeBootstrapRules(UpgradeData& data, workflow::Context& context);
// Upgrade an addon, but only with the last node of the control plane.
void UpgradeCoreDns(UpgradeData& data, workflow::Context& context);
void UpgradeKubeProxy(UpgradeData& data, workflow::Context& context);

// kubelet.cc
void UpgradeKubeconfig(UpgradeData& data, workflow::Context& context);
void UpgradeKubeletConfig(UpgradeData& data, workflow::Context& context);
// Removes settings that kubelets of the new version do not start with, and completes the record.
void PostUpgrade(UpgradeData& data, workflow::Context& context);

// rollback.cc: RollBack undoes the last upgrade of this node. Throws without one, or without
// consent.
void RollBack(UpgradeData& data, workflow::Context& context);

// settle.cc: SettleControlPlane waits until the control plane of this node is healthy at the wanted
// version, and the cluster shows it. Throws if it does not start within the limit for upgrades of
// manifests.
void SettleControlPlane(UpgradeData& data, workflow::Context& context);
// Upgrades this node's kubelet if UpgradeOptions say how; the control plane of the node must stay
// healthy. Throws like upgrade_path::BringKubelet.
void BringKubelet(UpgradeData& data, workflow::Context& context);
// Waits until the cluster shows the present static Pods of this node, and warns if it does not.
// Without this wait, an early upgrade of the next node would judge this node by its previous Pods.
void WaitForMirrors(UpgradeData& data, workflow::Context& context);

}  // namespace upgrade_steps
