// The field tables of JoinConfiguration, ResetConfiguration and UpgradeConfiguration.
#include "config/types.h"
#include "config/versions.h"

namespace config {

using data::Describe;
using data::Field;

std::span<const Field> BootstrapTokenDiscovery::Fields() {
  static const Field fields[] = {
      Describe<&BootstrapTokenDiscovery::token>("token").Always(),
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
      Describe<&JoinControlPlane::local_api_endpoint>("localAPIEndpoint").Always(),
      Describe<&JoinControlPlane::certificate_key>("certificateKey")
          .Help("key, in hex, of the uploaded certificates"),
  };
  return fields;
}

std::span<const Field> JoinConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&JoinConfiguration::dry_run>("dryRun").In(kV1beta4).Help("change nothing"),
      Describe<&JoinConfiguration::node_registration>("nodeRegistration").Always(),
      Describe<&JoinConfiguration::ca_cert_path>("caCertPath").Help("where the CA is stored"),
      Describe<&JoinConfiguration::discovery>("discovery").Always(),
      Describe<&JoinConfiguration::control_plane>("controlPlane")
          .Help("set when the node gets a control plane"),
      Describe<&JoinConfiguration::skip_phases>("skipPhases"),
      Describe<&JoinConfiguration::patches>("patches"),
      Describe<&JoinConfiguration::timeouts>("timeouts").In(kV1beta4),
  };
  return fields;
}

std::span<const Field> ResetConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&ResetConfiguration::cleanup_tmp_dir>("cleanupTmpDir"),
      Describe<&ResetConfiguration::certificates_dir>("certificatesDir"),
      Describe<&ResetConfiguration::cri_socket>("criSocket"),
      Describe<&ResetConfiguration::dry_run>("dryRun"),
      Describe<&ResetConfiguration::force>("force"),
      Describe<&ResetConfiguration::ignore_preflight_errors>("ignorePreflightErrors"),
      Describe<&ResetConfiguration::skip_phases>("skipPhases"),
      Describe<&ResetConfiguration::unmount_flags>("unmountFlags"),
      Describe<&ResetConfiguration::timeouts>("timeouts"),
  };
  return fields;
}

std::span<const Field> UpgradeApply::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeApply::kubernetes_version>("kubernetesVersion"),
      Describe<&UpgradeApply::allow_experimental_upgrades>("allowExperimentalUpgrades"),
      Describe<&UpgradeApply::allow_rc_upgrades>("allowRCUpgrades"),
      Describe<&UpgradeApply::certificate_renewal>("certificateRenewal"),
      Describe<&UpgradeApply::dry_run>("dryRun"),
      Describe<&UpgradeApply::etcd_upgrade>("etcdUpgrade"),
      Describe<&UpgradeApply::force_upgrade>("forceUpgrade"),
      Describe<&UpgradeApply::ignore_preflight_errors>("ignorePreflightErrors"),
      Describe<&UpgradeApply::patches>("patches"),
      Describe<&UpgradeApply::print_config>("printConfig"),
      Describe<&UpgradeApply::skip_phases>("skipPhases"),
      Describe<&UpgradeApply::image_pull_policy>("imagePullPolicy"),
      Describe<&UpgradeApply::image_pull_serial>("imagePullSerial"),
  };
  return fields;
}

std::span<const Field> UpgradeDiff::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeDiff::kubernetes_version>("kubernetesVersion"),
      Describe<&UpgradeDiff::context_lines>("contextLines"),
  };
  return fields;
}

std::span<const Field> UpgradeNode::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeNode::certificate_renewal>("certificateRenewal"),
      Describe<&UpgradeNode::dry_run>("dryRun"),
      Describe<&UpgradeNode::etcd_upgrade>("etcdUpgrade"),
      Describe<&UpgradeNode::ignore_preflight_errors>("ignorePreflightErrors"),
      Describe<&UpgradeNode::skip_phases>("skipPhases"),
      Describe<&UpgradeNode::patches>("patches"),
      Describe<&UpgradeNode::image_pull_policy>("imagePullPolicy"),
      Describe<&UpgradeNode::image_pull_serial>("imagePullSerial"),
  };
  return fields;
}

std::span<const Field> UpgradePlan::Fields() {
  static const Field fields[] = {
      Describe<&UpgradePlan::kubernetes_version>("kubernetesVersion"),
      Describe<&UpgradePlan::allow_experimental_upgrades>("allowExperimentalUpgrades"),
      Describe<&UpgradePlan::allow_rc_upgrades>("allowRCUpgrades"),
      Describe<&UpgradePlan::dry_run>("dryRun"),
      Describe<&UpgradePlan::etcd_upgrade>("etcdUpgrade"),
      Describe<&UpgradePlan::ignore_preflight_errors>("ignorePreflightErrors"),
      Describe<&UpgradePlan::print_config>("printConfig"),
  };
  return fields;
}

std::span<const Field> UpgradeConfiguration::Fields() {
  static const Field fields[] = {
      Describe<&UpgradeConfiguration::apply>("apply").Always(),
      Describe<&UpgradeConfiguration::diff>("diff").Always(),
      Describe<&UpgradeConfiguration::node>("node").Always(),
      Describe<&UpgradeConfiguration::plan>("plan").Always(),
      Describe<&UpgradeConfiguration::timeouts>("timeouts"),
  };
  return fields;
}

}  // namespace config
