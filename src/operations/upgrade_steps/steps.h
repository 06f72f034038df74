// SPDX-License-Identifier: Apache-2.0
// The steps of an upgrade, each the body of a phase. They say what they do; those about the control
// plane say so and do nothing on a node that has none. What upgrades have in common with init and
// join is in node_steps, what they decide and change below their texts in upgrade.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "upgrade_steps/data.h"
#include "workflow/context.h"

namespace upgrade_steps {

// preflight.cc
inline constexpr std::string_view kAreYouSure =
    "[upgrade] Are you sure you want to proceed? [y/N]: ";
inline constexpr std::string_view kNoConsent = "won't proceed: not confirmed; nothing was changed";
// RequireConsent asks the user, unless --yes was given. Throws base::Error for any answer but yes.
void RequireConsent(const UpgradeData& data);
// UpgradePreflight throws with all that speaks against the upgrade, and pulls the images.
void UpgradePreflight(UpgradeData& data, workflow::Context& context);

// drift.cc
// UseAdoptedPatches takes the patches that came from edits on this node where the user names none.
void UseAdoptedPatches(UpgradeData& data);
// RequireLeave asks whether so many edits may be lost. Nobody is asked with --yes or --force, by a
// run that goes on with one that was cut off, and by `upgrade node` where there is no terminal.
// Throws base::Error for any answer but yes.
void RequireLeave(UpgradeData& data, std::size_t edits);
// HandleDrift names what was changed by hand, on this node and in the addons' objects, and is lost,
// asks (RequireLeave), and keeps a copy of it; --discard-drift says that it may go. What cannot be
// seen it names, too, and goes on.
void HandleDrift(UpgradeData& data, workflow::Context& context);

// control_plane.cc
void UpgradeControlPlane(UpgradeData& data, workflow::Context& context);
// UndoControlPlane puts this node's static Pods back as the record has them.
void UndoControlPlane(UpgradeData& data, workflow::Context& context);

// cluster.cc
void UploadUpgradedConfig(UpgradeData& data, workflow::Context& context);
void UploadUpgradedKubeletConfig(UpgradeData& data, workflow::Context& context);
void UpgradeBootstrapRules(UpgradeData& data, workflow::Context& context);
// The addons wait for the last node of the control plane.
void UpgradeCoreDns(UpgradeData& data, workflow::Context& context);
void UpgradeKubeProxy(UpgradeData& data, workflow::Context& context);

// kubelet.cc
void UpgradeKubeconfig(UpgradeData& data, workflow::Context& context);
void UpgradeKubeletConfig(UpgradeData& data, workflow::Context& context);
// PostUpgrade takes out what kubelets of the new version do not start with, and completes the
// record.
void PostUpgrade(UpgradeData& data, workflow::Context& context);

// rollback.cc
// RollBack undoes the last upgrade of this node. Throws when there is none, or without consent.
void RollBack(UpgradeData& data, workflow::Context& context);

// settle.cc
// SettleControlPlane waits until the control plane of this node is well at the wanted version, and
// the cluster shows it. Throws when it does not come up in the time for upgrades of manifests.
void SettleControlPlane(UpgradeData& data, workflow::Context& context);
// BringKubelet lets this node's kubelet follow, where UpgradeOptions say how; the control plane of
// the node must be well under it. Throws like upgrade_path::BringKubelet.
void BringKubelet(UpgradeData& data, workflow::Context& context);
// WaitForMirrors waits until the cluster shows the static Pods of this node as they are, and warns
// when it does not: given too early, the next node's upgrade would judge this one by its previous
// Pods.
void WaitForMirrors(UpgradeData& data, workflow::Context& context);

}  // namespace upgrade_steps
