// SPDX-License-Identifier: Apache-2.0
// The kubelet's configuration on this node: config.yaml and instance-config.yaml in
// /var/lib/kubelet (reference: kubelet.md §1, §3).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"
#include "json/value.h"
#include "patches/patches.h"

namespace kubelet {

inline constexpr std::string_view kConfigFile = "/var/lib/kubelet/config.yaml";
inline constexpr std::string_view kInstanceConfigFile = "/var/lib/kubelet/instance-config.yaml";
// The name servers behind systemd-resolved's stub, which Pods cannot reach.
inline constexpr std::string_view kResolvedResolvConf = "/run/systemd/resolve/resolv.conf";

// InstanceConfigText is the one line that names the runtime's socket.
std::string InstanceConfigText(std::string_view cri_socket);
void WriteInstanceConfig(host::Files& files, std::string_view cri_socket);

// ResolvedIsActive asks whether the service systemd-resolved runs; no when nobody can tell.
bool ResolvedIsActive(host::Host& host);

// NodeConfigInput is all that config.yaml is made of.
struct NodeConfigInput {
  json::Value cluster_value;  // KubeletConfiguration of the cluster, with its defaults
  bool resolved_is_active = false;
  const patches::PatchSet* patches = nullptr;  // the user's; may be null
  // instance-config.yaml as a patch that comes last; not set without the feature gate.
  std::optional<std::string> instance_config;
};

// NodeConfig is the KubeletConfiguration of this node.
struct NodeConfig {
  json::Value value;
  std::vector<patches::AppliedPatch> applied;
  // The user's resolvConf where another one is recommended.
  std::optional<std::string> own_resolv_conf;
};

// AssembleNodeConfig throws base::Error(kInvalid) when a patch does not fit or the instance
// configuration is not YAML.
NodeConfig AssembleNodeConfig(const NodeConfigInput& input);

// MakeNodeConfig gathers the facts on `host` (systemd-resolved, instance-config.yaml if it exists
// and is to be used) and assembles. It warns of an unusual resolvConf.
enum class UseInstanceConfig { kNo, kYes };
NodeConfig MakeNodeConfig(host::Host& host, json::Value cluster_value,
                          const patches::PatchSet* patches, UseInstanceConfig use);

// WriteNodeConfig writes config.yaml.
void WriteNodeConfig(host::Files& files, const json::Value& value);

}  // namespace kubelet
