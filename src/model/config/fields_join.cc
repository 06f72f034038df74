// SPDX-License-Identifier: Apache-2.0
// The field tables of JoinConfiguration, ResetConfiguration and UpgradeConfiguration.
#include "config/types.h"
#include "config/versions.h"

namespace config {

using json::Describe;
using json::Field;

std::span<const Field> BootstrapTokenDiscovery::Fields() {
  static const Field fields[] = {
      Describe<&BootstrapTokenDiscovery::token>("token").Always().Help(
          "the token that authenticates the cluster: [a-z0-9]{6}.[a-z0-9]{16}"),
      Describe<&BootstrapTokenDiscovery::api_server_endpoint>("apiServerEndpoint")
          .Help("host:port of an API server"),
      Describe<&BootstrapTokenDiscovery::ca_cert_hashes>("caCertHashes")
          .Help("sha256:… pins of the cluster's CA"),
      Describe<&BootstrapTokenDiscovery::unsafe_skip_ca_verification>("unsafeSkipCAVerification")
          .Help("trust the cluster without a pin"),
  };
  return fields;
}

std::span<const Field> FileDiscovery::Fields() {
  static const Field fields[] = {
      Describe<&FileDiscovery::kube_config_path>("kubeConfigPath")
          .Always()
          .Help("path or https URL of a kubeconfig"),
  };
  return fields;
}

std::span<const Field> Discovery::Fields() {
  static const Field fields[] = {
      Describe<&Discovery::bootstrap_token>("bootstrapToken").Help("trust by a token and pins"),
      Describe<&Discovery::file>("file").Help("trust by a kubeconfig"),
      Describe<&Discovery::tls_bootstrap_token>("tlsBootstrapToken")
          .Help("token of the kubelet's first request; the discovery token when not set"),
      Describe<&Discovery::timeout>("timeout").In(kV1beta3),
  };
  return fields;
}

std::span<const Field> JoinControlPlane::Fields() {
  static const Field fields[] = {
      Describe<&JoinControlPlane::local_api_endpoint>("localAPIEndpoint")
          .Always()
          .Help("where the API server of this node is reached"),
      Describe<&JoinControlPlane::certificate_key>("certificateKey")
          .Help("key, in hex, of the uploaded certificates"),
  };
  return fields;
}

std::span<const Field> JoinConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&JoinConfiguration::dry_run>("dryRun").In(kSinceV1beta4).Help("change nothing"),
      Describe<&JoinConfiguration::node_registration>("nodeRegistration")
          .Always()
          .Help("how the node is made part of the cluster"),
      Describe<&JoinConfiguration::ca_cert_path>("caCertPath").Help("where the CA is stored"),
      Describe<&JoinConfiguration::discovery>("discovery")
          .Always()
          .Help("how the node finds and trusts the cluster"),
      Describe<&JoinConfiguration::control_plane>("controlPlane")
          .Help("set when the node gets a control plane"),
      Describe<&JoinConfiguration::skip_phases>("skipPhases").Help("phases to leave out"),
      Describe<&JoinConfiguration::patches>("patches").Help(
          "patches for the manifests and the kubelet's configuration"),
      Describe<&JoinConfiguration::timeouts>("timeouts")
          .In(kSinceV1beta4)
          .Help("timeouts of all waits"),
  };
  return fields;
}

std::span<const Field> ResetConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&ResetConfiguration::cleanup_tmp_dir>("cleanupTmpDir")
          .Help("also empty the directory of temporary files"),
      Describe<&ResetConfiguration::certificates_dir>("certificatesDir")
          .Help("directory of the certificates"),
      Describe<&ResetConfiguration::cri_socket>("criSocket").Help("endpoint of the runtime"),
      Describe<&ResetConfiguration::dry_run>("dryRun").Help("change nothing"),
      Describe<&ResetConfiguration::force>("force").Help("do not ask"),
      Describe<&ResetConfiguration::ignore_preflight_errors>("ignorePreflightErrors")
          .Help("checks whose errors are shown as warnings"),
      Describe<&ResetConfiguration::skip_phases>("skipPhases").Help("phases to leave out"),
      Describe<&ResetConfiguration::unmount_flags>("unmountFlags")
          .Help("flags of umount2(2) for mounts below the kubelet's directory"),
      Describe<&ResetConfiguration::timeouts>("timeouts").Help("timeouts of all waits"),
  };
  return fields;
}

std::span<const Field> UpgradeApply::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeApply::kubernetes_version>("kubernetesVersion")
          .Help("the version to upgrade to"),
      Describe<&UpgradeApply::allow_experimental_upgrades>("allowExperimentalUpgrades")
          .Help("also take alpha, beta and release candidate versions"),
      Describe<&UpgradeApply::allow_rc_upgrades>("allowRCUpgrades")
          .Help("also take release candidates"),
      Describe<&UpgradeApply::certificate_renewal>("certificateRenewal")
          .Help("renew the certificates of the components that are upgraded"),
      Describe<&UpgradeApply::dry_run>("dryRun").Help("change nothing"),
      Describe<&UpgradeApply::etcd_upgrade>("etcdUpgrade").Help("also upgrade etcd"),
      Describe<&UpgradeApply::force_upgrade>("forceUpgrade")
          .Help("continue where an answer or a check would stop the upgrade"),
      Describe<&UpgradeApply::ignore_preflight_errors>("ignorePreflightErrors")
          .Help("checks whose errors are shown as warnings"),
      Describe<&UpgradeApply::patches>("patches").Help(
          "patches for the manifests and the kubelet's configuration"),
      Describe<&UpgradeApply::print_config>("printConfig")
          .Help("show the configuration that is used"),
      Describe<&UpgradeApply::skip_phases>("skipPhases").Help("phases to leave out"),
      Describe<&UpgradeApply::image_pull_policy>("imagePullPolicy")
          .Help("Always, IfNotPresent or Never"),
      Describe<&UpgradeApply::image_pull_serial>("imagePullSerial")
          .Help("pull one image after the other"),
  };
  return fields;
}

std::span<const Field> UpgradeDiff::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeDiff::kubernetes_version>("kubernetesVersion")
          .Help("the version to compare with"),
      Describe<&UpgradeDiff::context_lines>("contextLines")
          .Help("unchanged lines shown around a change"),
  };
  return fields;
}

std::span<const Field> UpgradeNode::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeNode::certificate_renewal>("certificateRenewal")
          .Help("renew the certificates of the components that are upgraded"),
      Describe<&UpgradeNode::dry_run>("dryRun").Help("change nothing"),
      Describe<&UpgradeNode::etcd_upgrade>("etcdUpgrade").Help("also upgrade etcd"),
      Describe<&UpgradeNode::ignore_preflight_errors>("ignorePreflightErrors")
          .Help("checks whose errors are shown as warnings"),
      Describe<&UpgradeNode::skip_phases>("skipPhases").Help("phases to leave out"),
      Describe<&UpgradeNode::patches>("patches").Help(
          "patches for the manifests and the kubelet's configuration"),
      Describe<&UpgradeNode::image_pull_policy>("imagePullPolicy")
          .Help("Always, IfNotPresent or Never"),
      Describe<&UpgradeNode::image_pull_serial>("imagePullSerial")
          .Help("pull one image after the other"),
  };
  return fields;
}

std::span<const Field> UpgradePlan::Fields() {
  static const Field fields[] = {
      Describe<&UpgradePlan::kubernetes_version>("kubernetesVersion")
          .Help("the version to plan for"),
      Describe<&UpgradePlan::allow_experimental_upgrades>("allowExperimentalUpgrades")
          .Help("also take alpha, beta and release candidate versions"),
      Describe<&UpgradePlan::allow_rc_upgrades>("allowRCUpgrades")
          .Help("also take release candidates"),
      Describe<&UpgradePlan::dry_run>("dryRun").Help("change nothing"),
      Describe<&UpgradePlan::etcd_upgrade>("etcdUpgrade").Help("also upgrade etcd"),
      Describe<&UpgradePlan::ignore_preflight_errors>("ignorePreflightErrors")
          .Help("checks whose errors are shown as warnings"),
      Describe<&UpgradePlan::print_config>("printConfig")
          .Help("show the configuration that is used"),
  };
  return fields;
}

std::span<const Field> UpgradeConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeConfiguration::apply>("apply").Always().Help("what `upgrade apply` does"),
      Describe<&UpgradeConfiguration::diff>("diff").Always().Help("what `upgrade diff` does"),
      Describe<&UpgradeConfiguration::node>("node").Always().Help("what `upgrade node` does"),
      Describe<&UpgradeConfiguration::plan>("plan").Always().Help("what `upgrade plan` does"),
      Describe<&UpgradeConfiguration::timeouts>("timeouts").Help("timeouts of all waits"),
  };
  return fields;
}

}  // namespace config
