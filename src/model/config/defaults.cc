// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include "base/log.h"
#include "config/images.h"
#include "config/paths.h"
#include "config/token.h"
#include "config/version.h"
#include "config/versions.h"
#include "net/url.h"
#include "releases/releases.h"

namespace config {
namespace {

using std::chrono::minutes;

constexpr base::Duration kDefaultControlPlaneTimeout = minutes(4);
constexpr base::Duration kDefaultDiscoveryTimeout = minutes(5);

void Default(std::string& value, std::string_view fallback) {
  if (value.empty()) {
    value = fallback;
  }
}

template <typename T>
void Default(std::optional<T>& value, T fallback) {
  if (!value) {
    value = fallback;
  }
}

void Default(std::optional<Timeouts>& timeouts) {
  const Timeouts defaults = DefaultTimeouts();
  if (!timeouts) {
    timeouts.emplace();
  }
  for (const auto member :
       {&Timeouts::control_plane_component_health_check, &Timeouts::kubelet_health_check,
        &Timeouts::kubernetes_api_call, &Timeouts::etcd_api_call, &Timeouts::tls_bootstrap,
        &Timeouts::discovery, &Timeouts::upgrade_manifests}) {
    Default(*timeouts.*member, (defaults.*member).value());
  }
}

void Default(NodeRegistration& node) {
  Default(node.image_pull_policy, "IfNotPresent");
  Default(node.image_pull_serial, true);
}

void Default(ApiEndpoint& endpoint) {
  if (endpoint.bind_port == 0) {
    endpoint.bind_port = kDefaultBindPort;
  }
}

// Replaces a URL with the scheme "file" by its path.
void Default(FileDiscovery& file) {
  const auto url = net::Url::Parse(file.kube_config_path);  // validation reports the error
  if (url && url->scheme == "file") {
    file.kube_config_path = url->path;
  }
}

// Sets the lifetime even if `expires` is set: a token with `expires` and a lifetime is then always
// refused.
void Default(BootstrapToken& token) {
  Default(token.ttl, kDefaultTokenTtl);
  if (token.usages.empty()) {
    token.usages = {std::string(kUsageSigning), std::string(kUsageAuthentication)};
  }
  if (token.groups.empty()) {
    token.groups = {std::string(kDefaultTokenGroup)};
  }
}

// The version of a fieldRef defaults to v1.
void Default(std::vector<json::Value>& envs) {
  for (json::Value& env : envs) {
    const json::Value& ref = json::At(env, {"valueFrom", "fieldRef"});
    if (ref.is_object() && json::TextAt(ref, {"apiVersion"}).empty()) {
      env["valueFrom"]["fieldRef"]["apiVersion"] = "v1";
    }
  }
}

void Default(Etcd& etcd) {
  if (!etcd.local && !etcd.external) {
    etcd.local.emplace();
  }
  if (etcd.local) {
    Default(etcd.local->data_dir, kDefaultEtcdDataDir);
    Default(etcd.local->extra_envs);
  }
  if (etcd.external && etcd.external->http_endpoints.empty()) {
    etcd.external->http_endpoints = etcd.external->endpoints;
  }
}

}  // namespace

Timeouts DefaultTimeouts() {
  return {.control_plane_component_health_check = kDefaultControlPlaneTimeout,
          .kubelet_health_check = minutes(4),
          .kubernetes_api_call = minutes(1),
          .etcd_api_call = minutes(2),
          .tls_bootstrap = minutes(5),
          .discovery = kDefaultDiscoveryTimeout,
          .upgrade_manifests = minutes(5)};
}

base::Duration TimeoutOf(const std::optional<Timeouts>& configured,
                         std::optional<base::Duration> Timeouts::* which) {
  static const Timeouts kDefaults = DefaultTimeouts();
  return configured && (*configured).*which ? *((*configured).*which) : (kDefaults.*which).value();
}

void SetDefaults(InitConfiguration& init) {
  if (init.bootstrap_tokens.empty()) {
    init.bootstrap_tokens.emplace_back();
  }
  for (BootstrapToken& token : init.bootstrap_tokens) {
    Default(token);
  }
  Default(init.node_registration);
  Default(init.local_api_endpoint);
  Default(init.timeouts);
}

void SetDefaults(ClusterConfiguration& cluster) {
  Default(cluster.etcd);
  Default(cluster.networking.service_subnet, kDefaultServiceSubnet);
  Default(cluster.networking.dns_domain, kDefaultDnsDomain);
  Default(cluster.kubernetes_version, kDefaultKubernetesVersion);
  for (ControlPlaneComponent* component :
       {&cluster.api_server.component, &cluster.controller_manager, &cluster.scheduler}) {
    Default(component->extra_envs);
  }
  Default(cluster.certificates_dir, kDefaultCertificatesDir);
  Default(cluster.image_repository, kDefaultImageRepository);
  Default(cluster.cluster_name, kDefaultClusterName);
  Default(cluster.encryption_algorithm, kDefaultEncryptionAlgorithm);
  Default(cluster.certificate_validity_period, kDefaultCertificateValidity);
  Default(cluster.ca_certificate_validity_period, kDefaultCaValidity);
}

void SetDefaults(JoinConfiguration& join) {
  Default(join.node_registration);
  Default(join.ca_cert_path, kDefaultCaCertPath);
  Discovery& discovery = join.discovery;
  if (discovery.bootstrap_token) {
    Default(discovery.tls_bootstrap_token, discovery.bootstrap_token->token);
  }
  if (discovery.file) {
    Default(*discovery.file);
  }
  if (join.control_plane) {
    Default(join.control_plane->local_api_endpoint);
  }
  Default(join.timeouts);
}

void SetDefaults(ResetConfiguration& reset) {
  Default(reset.certificates_dir, kDefaultCertificatesDir);
  Default(reset.timeouts);
}

void SetDefaults(UpgradeConfiguration& upgrade) {
  Default(upgrade.apply.certificate_renewal, true);
  Default(upgrade.apply.etcd_upgrade, true);
  Default(upgrade.apply.image_pull_policy, "IfNotPresent");
  Default(upgrade.apply.image_pull_serial, true);
  Default(upgrade.node.certificate_renewal, true);
  Default(upgrade.node.etcd_upgrade, true);
  Default(upgrade.node.image_pull_policy, "IfNotPresent");
  Default(upgrade.node.image_pull_serial, true);
  Default(upgrade.plan.etcd_upgrade, true);
  Default(upgrade.timeouts);
}

void SetBlank(ClusterConfiguration& cluster, json::Versions version) {
  if (version == kV1beta3) {
    cluster.api_server.timeout_for_control_plane = kDefaultControlPlaneTimeout;
  }
}

void SetBlank(JoinConfiguration& join, json::Versions version) {
  if (version == kV1beta3) {
    join.discovery.timeout = kDefaultDiscoveryTimeout;
  }
}

void MoveTimeouts(const ClusterConfiguration& from, InitConfiguration& to) {
  const base::Duration timeout = from.api_server.timeout_for_control_plane;
  if (timeout != base::Duration::zero() && timeout != kDefaultControlPlaneTimeout && to.timeouts) {
    to.timeouts->control_plane_component_health_check = timeout;
  }
}

void MoveTimeouts(JoinConfiguration& join) {
  if (join.discovery.timeout && join.timeouts) {
    join.timeouts->discovery = join.discovery.timeout;
  }
  join.discovery.timeout.reset();
}

void DropUnknownToRelease(ClusterConfiguration& cluster) {
  if (!cluster.etcd.external || releases::For(cluster.kubernetes_version).http_endpoints) {
    return;
  }
  ExternalEtcd& etcd = *cluster.etcd.external;
  if (etcd.http_endpoints != etcd.endpoints) {
    base::LogWarning(
        "etcd.external.httpEndpoints is left out: kubeadm of {} does not know this field",
        cluster.kubernetes_version);
  }
  etcd.http_endpoints.clear();
}

std::string EncryptionAlgorithm(const ClusterConfiguration& cluster) {
  const auto gate = cluster.feature_gates.find(std::string(releases::kPublicKeysEcdsa));
  if (gate == cluster.feature_gates.end() ||
      releases::For(cluster.kubernetes_version).FindGate(gate->first) == nullptr) {
    return cluster.encryption_algorithm;
  }
  return gate->second ? "ECDSA-P256" : "RSA-2048";
}

}  // namespace config
