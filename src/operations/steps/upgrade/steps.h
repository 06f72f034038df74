// SPDX-License-Identifier: Apache-2.0
// The steps of an upgrade, each the body of a phase. They log their actions. On a worker, steps of
// the control plane only log that they are skipped. Library node_steps has the parts that init,
// join and upgrade share; library upgrade has the decisions and changes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "steps/upgrade/data.h"
#include "workflow/context.h"

namespace upgrade_steps {

// Defined in preflight.cc:
inline constexpr std::string_view kAreYouSure =
    "[upgrade] Are you sure you want to proceed? [y/N]: ";
inline constexpr std::string_view kNoConsent = "won't proceed: not confirmed; nothing was changed";
// Asks the user for consent, unless --yes was given. Throws base::Error(kOther) for any answer
// except yes.
void RequireConsent(const UpgradeData& data);
// Checks the upgrade, and pulls the images. Throws base::Error(kInvalid) with all failed checks.
void UpgradePreflight(UpgradeData& data, workflow::Context& context);

// Defined in drift.cc. PatchesOrAdopted returns `given`, the user's directory of patches. If
// `given` is "", returns the directory of patches that were made from edits on this node; "" if it
// does not exist. UseAdoptedPatches sets the directory of patches of a run.
fs::path PatchesOrAdopted(const fs::path& given, const host::Files& files);
void UseAdoptedPatches(UpgradeData& data);
// Asks the user whether this number of manual edits may be lost. Does not ask with --yes or
// --force, in a resumed run, and in `upgrade node` without a terminal. Throws base::Error(kOther)
// for any answer except yes.
void RequireLeave(UpgradeData& data, std::size_t edits);
// Lists the manual edits, on this node and in the addons' objects, that the upgrade would lose.
// Asks the user (RequireLeave), and saves a copy of the edits. --discard-drift discards the edits
// without a question. Also lists unreadable parts, and continues.
void HandleDrift(UpgradeData& data, workflow::Context& context);

// Defined in control_plane.cc:
void UpgradeControlPlane(UpgradeData& data, workflow::Context& context);
// Restores this node's static Pods from the backups of the record.
void UndoControlPlane(UpgradeData& data, workflow::Context& context);

// Defined in backup.cc:
// Backs this node up and returns the path of the backup. If the disk has too little space, warns
// and returns "". Throws the errors of backup::Create, and adds that nothing was changed.
std::string BackUpNode(UpgradeData& data, cri::Runtime& runtime, workflow::Context& context);
// Prints the backup whose data a rollback restores, and the number of writes that are lost. Throws
// base::Error(kConflict), before any change, if the data cannot be restored. This is the case if
// etcd is external or has several members, or if the record has no backup. It is also the case if
// the backup has no etcdutl or its etcdutl cannot raise the revision. Throws the errors of
// ReadBackup for a damaged backup. Has no effect if an interrupted rollback has already restored
// the data.
void RequireRestorableData(const control_plane::UpgradeRecord& record, host::Host& host,
                           workflow::Context& context);

// Defined in cluster.cc:
void UploadUpgradedConfig(UpgradeData& data, workflow::Context& context);
void UploadUpgradedKubeletConfig(UpgradeData& data, workflow::Context& context);
void UpgradeBootstrapRules(UpgradeData& data, workflow::Context& context);
// UpgradeCoreDns and UpgradeKubeProxy upgrade an addon. They do so only on the last control-plane
// node that is upgraded.
void UpgradeCoreDns(UpgradeData& data, workflow::Context& context);
void UpgradeKubeProxy(UpgradeData& data, workflow::Context& context);

// Defined in kubelet.cc:
void UpgradeKubeconfig(UpgradeData& data, workflow::Context& context);
void UpgradeKubeletConfig(UpgradeData& data, workflow::Context& context);
// Waits for this node's mirror Pods (WaitForMirrors) if static Pods were replaced. Removes settings
// with which kubelets of the new version do not start, and completes the record.
void PostUpgrade(UpgradeData& data, workflow::Context& context);

// Defined in rollback.cc: rolls back the last upgrade of this node. Throws base::Error: kNotFound
// if the node has no upgrade to roll back, kOther if the user does not consent.
void RollBack(UpgradeData& data, workflow::Context& context);

// Defined in settle.cc: waits until the control plane of this node is healthy at the wanted
// version, and the cluster's mirror Pods are up to date. Throws base::Error(kTimeout) if the
// control plane does not become healthy within the time limit for manifest upgrades.
void SettleControlPlane(UpgradeData& data, workflow::Context& context);
// Upgrades this node's kubelet if the options of the upgrade contain a kubelet. The control plane
// of the node must stay healthy. Throws the errors of upgrade_path::BringKubelet.
void BringKubelet(UpgradeData& data, workflow::Context& context);
// Waits until the mirror Pods of this node show its present static Pods, and warns if they do not.
// Otherwise an upgrade of the next node could start too early and see the old Pods of this node.
void WaitForMirrors(UpgradeData& data, workflow::Context& context);

}  // namespace upgrade_steps
