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
#include "node_input/patches.h"

namespace kubelet {

inline constexpr std::string_view kConfigFile = "/var/lib/kubelet/config.yaml";
inline constexpr std::string_view kInstanceConfigFile = "/var/lib/kubelet/instance-config.yaml";
// The name servers behind systemd-resolved's stub, which Pods cannot reach.
inline constexpr std::string_view kResolvedResolvConf = "/run/systemd/resolve/resolv.conf";

// Returns the one line with the runtime's socket.
std::string InstanceConfigText(std::string_view cri_socket);
void WriteInstanceConfig(host::Files& files, std::string_view cri_socket);

// Returns whether the service systemd-resolved runs; false if that is unknown.
bool ResolvedIsActive(host::Host& host);

// The inputs of config.yaml.
struct NodeConfigInput {
  json::Value cluster_value;  // KubeletConfiguration of the cluster, with its defaults
  bool resolved_is_active = false;
  const node_input::PatchSet* patches = nullptr;  // the user's; may be null
  // instance-config.yaml as a patch that comes last; not set without the feature gate.
  std::optional<std::string> instance_config;
};

// NodeConfig is the KubeletConfiguration of this node.
struct NodeConfig {
  json::Value value;
  std::vector<node_input::AppliedPatch> applied;
  // The user's resolvConf if another one is recommended.
  std::optional<std::string> own_resolv_conf;
};

// Throws base::Error(kInvalid) if a patch does not apply or the instance configuration is malformed
// YAML.
NodeConfig AssembleNodeConfig(const NodeConfigInput& input);

// Collects the facts on `host` (systemd-resolved, and instance-config.yaml if it exists and is
// enabled) and assembles the configuration. Warns of an unusual resolvConf.
enum class UseInstanceConfig { kNo, kYes };
NodeConfig MakeNodeConfig(host::Host& host, json::Value cluster_value,
                          const node_input::PatchSet* patches, UseInstanceConfig use);

// WriteNodeConfig writes config.yaml.
void WriteNodeConfig(host::Files& files, const json::Value& value);

}  // namespace kubelet
