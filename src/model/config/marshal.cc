// SPDX-License-Identifier: Apache-2.0
#include "config/marshal.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "config/component_configs.h"
#include "config/defaults.h"
#include "config/merged_args.h"
#include "config/versions.h"
#include "releases/releases.h"

namespace config {
namespace {

constexpr std::string_view kSeparator = "---\n";

template <typename T>
std::string MarshalKind(const T& value, std::string_view kind) {
  json::Value json = json::Encode(value, kV1beta4);
  json["apiVersion"] = kKubeadmApiVersion;
  json["kind"] = kind;
  return yaml::Emit(json);
}

template <typename T>
void WarnOfLoss(const T& value, std::string_view kind) {
  for (const std::string& path : MergeMethodPaths(json::Encode(value, kV1))) {
    base::LogWarning(
        "{}: {} has a mergeMethod, which {} cannot express: in that version the argument replaces "
        "its default; write the whole value",
        kind, path, kKubeadmApiVersion);
  }
}

std::string ComponentDefaults(const std::string& kind, const Init& config) {
  if (kind == kKubeletKind) {
    return Marshal(KubeletWithDefaults(nullptr, config.cluster));
  }
  if (kind == kKubeProxyKind) {
    return Marshal(KubeProxyWithDefaults(nullptr, config.cluster,
                                         config.init.local_api_endpoint.advertise_address));
  }
  throw base::Error(base::Error::Kind::kUsage,
                    fmt::format("--component-configs: there is no component kind \"{}\", only [{} "
                                "{}]",
                                kind, kKubeProxyKind, kKubeletKind));
}

}  // namespace

std::string Marshal(const InitConfiguration& init) {
  return MarshalKind(init, "InitConfiguration");
}

std::string Marshal(const ClusterConfiguration& cluster) {
  return MarshalKind(cluster, "ClusterConfiguration");
}

std::string Marshal(const JoinConfiguration& join) {
  return MarshalKind(join, "JoinConfiguration");
}

std::string Marshal(const ResetConfiguration& reset) {
  return MarshalKind(reset, "ResetConfiguration");
}

std::string Marshal(const UpgradeConfiguration& upgrade) {
  return MarshalKind(upgrade, "UpgradeConfiguration");
}

std::string Marshal(const json::Value& component) { return yaml::Emit(component); }

void WarnOfLostMergeMethods(const InitConfiguration& init) {
  WarnOfLoss(init, "InitConfiguration");
}

void WarnOfLostMergeMethods(const ClusterConfiguration& cluster) {
  WarnOfLoss(cluster, "ClusterConfiguration");
}

void WarnOfLostMergeMethods(const JoinConfiguration& join) {
  WarnOfLoss(join, "JoinConfiguration");
}

std::string MarshalForCluster(const ClusterConfiguration& cluster) {
  WarnOfLostMergeMethods(cluster);
  if (cluster.ci_kubernetes_version.empty()) {
    return Marshal(cluster);
  }
  ClusterConfiguration asked_for = cluster;
  asked_for.kubernetes_version = cluster.ci_kubernetes_version;
  return Marshal(asked_for);
}

std::string PrintInitDefaults(std::span<const std::string> component_kinds) {
  Init config;
  SetDefaults(config.init);
  SetDefaults(config.cluster);
  config.init.bootstrap_tokens.front().token = kPlaceholderToken;
  config.init.local_api_endpoint.advertise_address = "1.2.3.4";
  config.init.node_registration.name = "node";
  config.init.node_registration.cri_socket = kContainerdSocket;
  // Uses patch version 0, so that patch releases do not change the printed defaults.
  config.cluster.kubernetes_version = fmt::format("1.{}.0", releases::Newest().minor);
  std::string text = Marshal(config.init);
  text.append(kSeparator).append(Marshal(config.cluster));
  for (const std::string& kind : component_kinds) {
    text.append(kSeparator).append(ComponentDefaults(kind, config));
  }
  return text;
}

std::string PrintJoinDefaults(const std::string& hostname) {
  JoinConfiguration join;
  join.discovery.bootstrap_token = {.token = std::string(kPlaceholderToken),
                                    .api_server_endpoint = "kube-apiserver:6443",
                                    .unsafe_skip_ca_verification = true};
  join.node_registration.name = NodeName(hostname);
  join.node_registration.cri_socket = kContainerdSocket;
  SetDefaults(join);
  return Marshal(join);
}

std::string PrintResetDefaults() {
  ResetConfiguration reset;
  reset.cri_socket = kContainerdSocket;
  SetDefaults(reset);
  return Marshal(reset);
}

std::string PrintUpgradeDefaults() {
  UpgradeConfiguration upgrade;
  SetDefaults(upgrade);
  return Marshal(upgrade);
}

}  // namespace config
