// SPDX-License-Identifier: Apache-2.0
// Configuration from flags: for init, join and reset without --config (reference: cli,
// config-api.md §3, phases.md §2). Flags that were not given are not set.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/types.h"

namespace config {

// NodeFlags are shared by init and join.
struct NodeFlags {
  std::optional<std::string> node_name;
  std::optional<std::string> cri_socket;
  std::optional<std::string> patches;
  std::optional<bool> dry_run;
  std::vector<std::string> ignore_preflight_errors;
  std::vector<std::string> skip_phases;
};

// The flags of `kubeadm init` that replace a configuration file.
struct InitFlags {
  NodeFlags node;
  std::optional<std::string> apiserver_advertise_address;
  std::optional<std::int32_t> apiserver_bind_port;
  std::vector<std::string> apiserver_cert_extra_sans;
  std::optional<std::string> cert_dir;
  std::optional<std::string> certificate_key;
  std::optional<std::string> control_plane_endpoint;
  std::optional<std::string> feature_gates;  // "A=true,B=false"
  std::optional<std::string> image_repository;
  std::optional<std::string> kubernetes_version;
  std::optional<std::string> pod_network_cidr;
  std::optional<std::string> service_cidr;
  std::optional<std::string> service_dns_domain;
  std::optional<std::string> token;
  std::optional<base::Duration> token_ttl;
  // Hidden flags of `init phase control-plane`.
  Args apiserver_extra_args;
  Args controller_manager_extra_args;
  Args scheduler_extra_args;
};

// Returns a complete and validated configuration, like LoadInit.
Init InitFromFlags(const InitFlags& flags, const Facts& facts,
                   CriSocketChoice cri_socket = CriSocketChoice::kDetect);

// The role of a joining node: worker or control plane.
enum class ControlPlane { kNo, kYes };

// The flags of `kubeadm join` that replace a configuration file.
struct JoinFlags {
  NodeFlags node;
  ControlPlane control_plane = ControlPlane::kNo;
  std::optional<std::string> api_server_endpoint;  // the positional argument
  std::optional<std::string> apiserver_advertise_address;
  std::optional<std::int32_t> apiserver_bind_port;
  std::optional<std::string> certificate_key;
  std::optional<std::string> discovery_file;
  std::optional<std::string> discovery_token;
  std::vector<std::string> discovery_token_ca_cert_hashes;
  bool discovery_token_unsafe_skip_ca_verification = false;
  std::optional<std::string> tls_bootstrap_token;
  std::optional<std::string> token;
};

// Returns a complete and validated configuration, like LoadJoin. Warns if flags of the control
// plane are given without --control-plane, because they have no effect.
JoinConfiguration JoinFromFlags(const JoinFlags& flags, const Facts& facts,
                                CriSocketChoice cri_socket = CriSocketChoice::kDetect);

// The flags of `kubeadm reset` that replace a configuration file.
struct ResetFlags {
  std::optional<std::string> cert_dir;
  std::optional<std::string> cri_socket;
  std::optional<bool> cleanup_tmp_dir;
  std::optional<bool> dry_run;
  std::optional<bool> force;
  std::vector<std::string> ignore_preflight_errors;
  std::vector<std::string> skip_phases;
};

ResetConfiguration ResetFromFlags(const ResetFlags& flags, const Facts& facts,
                                  CriSocketChoice cri_socket = CriSocketChoice::kDetect);

}  // namespace config
