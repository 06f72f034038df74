// SPDX-License-Identifier: Apache-2.0
// The kinds of group kubeadm.k8s.io in their internal, version-independent form. The field tables
// in fields.cc have each member's name and API versions (reference: config-api.md §3, §4).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/duration.h"
#include "json/fields.h"
#include "json/value.h"

namespace config {

// Arg is one command-line argument of a component, without the leading "--".
struct Arg {
  std::string name;
  std::string value;
  std::string merge_method = {};  // of v1; see merged_args.h
  bool operator==(const Arg&) const = default;
  static std::span<const json::Field> Fields();
};
// Arguments in the order of the user; names may repeat.
using Args = std::vector<Arg>;

// Returns the value of the last argument of that name: the one that the component itself would use.
std::optional<std::string> FindArg(const Args& args, std::string_view name);

// Mounts a file or directory of the node into a component (reference: config-api.md).
struct HostPathMount {
  std::string name;
  std::string host_path;
  std::string mount_path;
  bool read_only = false;
  std::string path_type;
  static std::span<const json::Field> Fields();
};

// ControlPlaneComponent is shared by API server, controller manager and scheduler.
struct ControlPlaneComponent {
  Args extra_args;
  std::vector<HostPathMount> extra_volumes;
  std::vector<json::Value> extra_envs;  // core/v1 EnvVar, passed through
  static std::span<const json::Field> Fields();
};

// ApiServer is the component kube-apiserver.
struct ApiServer {
  ControlPlaneComponent component;  // inlined
  std::vector<std::string> cert_sans;
  base::Duration timeout_for_control_plane{0};  // v1beta3 only; moved to Timeouts after decoding
  static std::span<const json::Field> Fields();
};

// Etcd as a static Pod on the control-plane nodes.
struct LocalEtcd {
  std::string image_repository;
  std::string image_tag;
  std::string data_dir;
  Args extra_args;
  std::vector<json::Value> extra_envs;
  std::vector<std::string> server_cert_sans;
  std::vector<std::string> peer_cert_sans;
  static std::span<const json::Field> Fields();
};

// An etcd cluster that the user runs. The files are its CA's certificate, and the API server's
// client certificate and key.
struct ExternalEtcd {
  std::vector<std::string> endpoints;
  std::vector<std::string> http_endpoints;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  static std::span<const json::Field> Fields();
};

// The cluster's etcd. After defaulting and validation, exactly one of the members is set.
struct Etcd {
  std::optional<LocalEtcd> local;
  std::optional<ExternalEtcd> external;
  static std::span<const json::Field> Fields();
};

// The networks of the cluster. Of two CIDRs, the first one's address family is the primary family.
struct Networking {
  std::string service_subnet;  // CIDR[,CIDR]
  std::string pod_subnet;
  std::string dns_domain;
  static std::span<const json::Field> Fields();
};

// Dns is the add-on CoreDNS.
struct Dns {
  std::string image_repository;
  std::string image_tag;
  bool disabled = false;
  static std::span<const json::Field> Fields();
};

// Proxy is the add-on kube-proxy.
struct Proxy {
  bool disabled = false;
  static std::span<const json::Field> Fields();
};

// Taint of core/v1: Pods that do not tolerate it stay away from the node.
struct Taint {
  std::string key;
  std::string value;
  std::string effect;
  std::optional<std::chrono::sys_seconds> time_added;
  bool operator==(const Taint&) const = default;
  static std::span<const json::Field> Fields();
};

// The properties of a node and of its Node object.
struct NodeRegistration {
  std::string name;
  std::string cri_socket;
  std::optional<std::vector<Taint>> taints;  // not set: the default for the role; empty: none
  Args kubelet_extra_args;
  std::vector<std::string> ignore_preflight_errors;
  std::string image_pull_policy;
  std::optional<bool> image_pull_serial;
  static std::span<const json::Field> Fields();
};

// The address of this node's API server; port 0 means the default, 6443.
struct ApiEndpoint {
  std::string advertise_address;
  std::int32_t bind_port = 0;
  static std::span<const json::Field> Fields();
};

// Files, in a directory, that change kubeadm's output.
struct Patches {
  std::string directory;
  static std::span<const json::Field> Fields();
};

// Timeouts of waits; an unset timeout has its default.
struct Timeouts {
  std::optional<base::Duration> control_plane_component_health_check;
  std::optional<base::Duration> kubelet_health_check;
  std::optional<base::Duration> kubernetes_api_call;
  std::optional<base::Duration> etcd_api_call;
  std::optional<base::Duration> tls_bootstrap;
  std::optional<base::Duration> discovery;
  std::optional<base::Duration> upgrade_manifests;
  static std::span<const json::Field> Fields();
};

// BootstrapToken in the form of bootstraptoken.kubeadm.k8s.io/v1. `token` is "id.secret".
struct BootstrapToken {
  std::string token;
  std::string description;
  std::optional<base::Duration> ttl;
  std::optional<std::chrono::sys_seconds> expires;
  std::vector<std::string> usages;
  std::vector<std::string> groups;
  static std::span<const json::Field> Fields();
};

// The part of `kubeadm init`'s configuration that applies to this node only.
struct InitConfiguration {
  std::vector<BootstrapToken> bootstrap_tokens;
  bool dry_run = false;
  NodeRegistration node_registration;
  ApiEndpoint local_api_endpoint;
  std::string certificate_key;
  std::vector<std::string> skip_phases;
  std::optional<Patches> patches;
  std::optional<Timeouts> timeouts;
  static std::span<const json::Field> Fields();
};

// A KubeletConfiguration or KubeProxyConfiguration. It is stored as a raw value, so that fields of
// newer components survive.
struct ComponentConfig {
  json::Value value;  // the user's values, completed with upstream's defaults
  // True: it is from the user's file, or the cluster stores it without kubeadm's hash.
  bool user_supplied = false;
};

// The part that is the same on every node; the cluster stores it in ConfigMap kubeadm-config.
struct ClusterConfiguration {
  Etcd etcd;
  Networking networking;
  std::string kubernetes_version;  // "v1.36.3" once resolved
  std::string control_plane_endpoint;
  ApiServer api_server;
  ControlPlaneComponent controller_manager;
  ControlPlaneComponent scheduler;
  Dns dns;
  Proxy proxy;
  std::string certificates_dir;
  std::string image_repository;
  std::map<std::string, bool> feature_gates;
  std::string cluster_name;
  std::string encryption_algorithm;
  std::optional<base::Duration> certificate_validity_period;
  std::optional<base::Duration> ca_certificate_validity_period;

  // Fields that are not in the API. Loading adds them.
  std::string ci_kubernetes_version;  // "ci/v1.37.0-alpha.1…" if a CI version was requested
  ComponentConfig kubelet;
  ComponentConfig kube_proxy;
  static std::span<const json::Field> Fields();
};

// The whole configuration of `kubeadm init`.
struct Init {
  InitConfiguration init;
  ClusterConfiguration cluster;
};

// Discovery by a bootstrap token. A cluster is trusted if it knows the token and if its CA has one
// of the hashes ("sha256:<hex>"). The check of the CA may be skipped.
struct BootstrapTokenDiscovery {
  std::string token;
  std::string api_server_endpoint;
  std::vector<std::string> ca_cert_hashes;
  bool unsafe_skip_ca_verification = false;
  static std::span<const json::Field> Fields();
};

// Discovery by a kubeconfig, at a path or an https URL.
struct FileDiscovery {
  std::string kube_config_path;
  static std::span<const json::Field> Fields();
};

// The source of a joining node's trust in the cluster. After validation, either `bootstrap_token`
// or `file` is set.
struct Discovery {
  std::optional<BootstrapTokenDiscovery> bootstrap_token;
  std::optional<FileDiscovery> file;
  std::string tls_bootstrap_token;
  std::optional<base::Duration> timeout;  // v1beta3 only; moved to Timeouts after decoding
  static std::span<const json::Field> Fields();
};

// The additional settings of a node that joins the control plane.
struct JoinControlPlane {
  ApiEndpoint local_api_endpoint;
  std::string certificate_key;
  static std::span<const json::Field> Fields();
};

// The whole configuration of `kubeadm join`.
struct JoinConfiguration {
  bool dry_run = false;
  NodeRegistration node_registration;
  std::string ca_cert_path;
  Discovery discovery;
  std::optional<JoinControlPlane> control_plane;
  std::vector<std::string> skip_phases;
  std::optional<Patches> patches;
  std::optional<Timeouts> timeouts;
  static std::span<const json::Field> Fields();
};

// The whole configuration of `kubeadm reset`.
struct ResetConfiguration {
  bool cleanup_tmp_dir = false;
  std::string certificates_dir;
  std::string cri_socket;
  bool dry_run = false;
  bool force = false;
  std::vector<std::string> ignore_preflight_errors;
  std::vector<std::string> skip_phases;
  std::vector<std::string> unmount_flags;
  std::optional<Timeouts> timeouts;
  static std::span<const json::Field> Fields();
};

// UpgradeApply and the next three structs each configure one `kubeadm upgrade` command. Members
// that are not set have the default of the command's flag.
struct UpgradeApply {
  std::string kubernetes_version;
  std::optional<bool> allow_experimental_upgrades;
  std::optional<bool> allow_rc_upgrades;
  std::optional<bool> certificate_renewal;
  std::optional<bool> dry_run;
  std::optional<bool> etcd_upgrade;
  std::optional<bool> force_upgrade;
  std::vector<std::string> ignore_preflight_errors;
  std::optional<Patches> patches;
  std::optional<bool> print_config;
  std::vector<std::string> skip_phases;
  std::string image_pull_policy;
  std::optional<bool> image_pull_serial;
  static std::span<const json::Field> Fields();
};

struct UpgradeDiff {
  std::string kubernetes_version;
  std::int32_t context_lines = 0;
  static std::span<const json::Field> Fields();
};

struct UpgradeNode {
  std::optional<bool> certificate_renewal;
  std::optional<bool> dry_run;
  std::optional<bool> etcd_upgrade;
  std::vector<std::string> ignore_preflight_errors;
  std::vector<std::string> skip_phases;
  std::optional<Patches> patches;
  std::string image_pull_policy;
  std::optional<bool> image_pull_serial;
  static std::span<const json::Field> Fields();
};

struct UpgradePlan {
  std::string kubernetes_version;
  std::optional<bool> allow_experimental_upgrades;
  std::optional<bool> allow_rc_upgrades;
  std::optional<bool> dry_run;
  std::optional<bool> etcd_upgrade;
  std::vector<std::string> ignore_preflight_errors;
  std::optional<bool> print_config;
  static std::span<const json::Field> Fields();
};

// The whole configuration of `kubeadm upgrade`.
struct UpgradeConfiguration {
  UpgradeApply apply;
  UpgradeDiff diff;
  UpgradeNode node;
  UpgradePlan plan;
  std::optional<Timeouts> timeouts;
  static std::span<const json::Field> Fields();
};

}  // namespace config
