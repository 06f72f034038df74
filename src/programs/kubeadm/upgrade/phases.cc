// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/phases.h"

#include "steps/upgrade/steps.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

workflow::AllSiblings All(std::string summary, Names flags) {
  return {.summary = std::move(summary), .flags = std::move(flags)};
}

UpgradePhase PreflightPhase(Names flags) {
  return {.name = "preflight",
          .summary = "Check that this node and its cluster can be upgraded",
          .flags = std::move(flags),
          .only_looks = true,
          .run = upgrade_steps::UpgradePreflight};
}

UpgradePhase ControlPlanePhase(Names flags = {}) {
  flags.insert(flags.end(), {"certificate-renewal", "config", "dry-run", "etcd-upgrade",
                             "kubeconfig", "patches"});
  return {.name = "control-plane",
          .summary = "Bring this node's control plane to the new version",
          .flags = std::move(flags),
          .run = upgrade_steps::UpgradeControlPlane};
}

UpgradePhase KubeconfigPhase() {
  return {.name = "kubeconfig",
          .summary = "Let this node's kubelet talk to its own API server",
          .hidden = true,
          .run = upgrade_steps::UpgradeKubeconfig};
}

UpgradePhase KubeletConfigPhase() {
  return {.name = "kubelet-config",
          .summary = "Bring this node's kubelet configuration to the new version",
          .flags = {"config", "dry-run", "kubeconfig", "patches"},
          .run = upgrade_steps::UpgradeKubeletConfig};
}

UpgradePhase AddonPhase() {
  const Names flags = {"config", "dry-run", "kubeconfig", "patches"};
  return {.name = "addon",
          .summary = "Bring the addons to the new version",
          .all = All("Bring all addons to the new version", flags),
          .children = {{.name = "coredns",
                        .summary = "Bring CoreDNS to the new version",
                        .flags = flags,
                        .run = upgrade_steps::UpgradeCoreDns},
                       {.name = "kube-proxy",
                        .summary = "Bring kube-proxy to the new version",
                        .flags = flags,
                        .run = upgrade_steps::UpgradeKubeProxy}}};
}

UpgradePhase PostUpgradePhase() {
  return {.name = "post-upgrade",
          .summary = "Remove settings that only the old version needed",
          .flags = {"config", "dry-run", "kubeconfig"},
          .run = upgrade_steps::PostUpgrade};
}

// Returns the phase that upgrades this node's kubelet. Upstream has no such phase, so it is skipped
// unless a flag names the kubelet's source.
UpgradePhase KubeletPhase() {
  return {.name = "kubelet",
          .summary = "Bring this node's kubelet to the new version",
          .flags = {"config", "dry-run", "kubeconfig", "node-packages", "upgrade-kubelet-command"},
          .hidden = true,
          .run = upgrade_steps::BringKubelet};
}

UpgradePhase UploadConfigPhase() {
  const Names flags = {"config", "dry-run", "kubeconfig"};
  return {.name = "upload-config",
          .summary = "Keep the configuration of the new version in the cluster",
          .aliases = {"uploadconfig"},
          .all = All("Keep both configurations in the cluster", flags),
          .children = {{.name = "kubeadm",
                        .summary = "Keep kubeadm's ClusterConfiguration in a ConfigMap",
                        .flags = flags,
                        .run = upgrade_steps::UploadUpgradedConfig},
                       {.name = "kubelet",
                        .summary = "Keep the kubelets' configuration in a ConfigMap",
                        .flags = flags,
                        .run = upgrade_steps::UploadUpgradedKubeletConfig}}};
}

UpgradePhase BootstrapTokenPhase() {
  return {.name = "bootstrap-token",
          .summary = "Bring the rules by which nodes join to the new version",
          .flags = {"config", "dry-run", "kubeconfig"},
          .run = upgrade_steps::UpgradeBootstrapRules};
}

}  // namespace

std::vector<UpgradePhase> UpgradeApplyPhases() {
  return {
      PreflightPhase({"allow-experimental-upgrades", "allow-release-candidate-upgrades", "config",
                      "dry-run", "force", "ignore-preflight-errors", "kubeconfig", "yes"}),
      ControlPlanePhase({"no-backup"}),
      UploadConfigPhase(),
      KubeconfigPhase(),
      KubeletConfigPhase(),
      BootstrapTokenPhase(),
      AddonPhase(),
      PostUpgradePhase()};
}

std::vector<UpgradePhase> UpgradeNodePhases() {
  return {PreflightPhase({"config", "ignore-preflight-errors"}),
          ControlPlanePhase(),
          KubeconfigPhase(),
          KubeletConfigPhase(),
          AddonPhase(),
          PostUpgradePhase(),
          KubeletPhase()};
}

}  // namespace kubeadm
