// SPDX-License-Identifier: Apache-2.0
#include "kubelet/node_config.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "host/init_system.h"
#include "yaml/yaml.h"

namespace kubelet {
namespace {

constexpr host::WriteOptions kReadableByAll{.mode = 0644, .directory_mode = 0700};

// Returns the file as a separate patch set, or an empty set if the file is empty.
node_input::PatchSet InstancePatch(const std::string& text) {
  node_input::PatchSet set;
  json::Value document =
      base::WithContext(fmt::format("cannot use {} as a patch", kInstanceConfigFile),
                        [&] { return yaml::Parse(text).value; });
  if (!document.is_null()) {
    set.patches.push_back({.target = std::string(node_input::kKubeletConfigurationTarget),
                           .type = node_input::PatchType::kStrategic,
                           .document = std::move(document)});
  }
  return set;
}

void Apply(const node_input::PatchSet& patches, NodeConfig& config) {
  node_input::Patched patched =
      node_input::ApplyPatches(patches, node_input::kKubeletConfigurationTarget,
                               std::move(config.value), patch::Schema::kKubeletConfiguration);
  config.value = std::move(patched.value);
  config.applied.insert(config.applied.end(), patched.applied.begin(), patched.applied.end());
}

}  // namespace

std::string InstanceConfigText(std::string_view cri_socket) {
  return fmt::format("containerRuntimeEndpoint: {}\n", base::Quoted(cri_socket));
}

void WriteInstanceConfig(host::Files& files, std::string_view cri_socket) {
  files.Write(kInstanceConfigFile, InstanceConfigText(cri_socket), kReadableByAll);
}

bool ResolvedIsActive(host::Host& host) {
  try {
    const auto init_system = host::DetectInitSystem(host);
    return init_system && init_system->IsActive("systemd-resolved");
  } catch (const base::Error& error) {
    base::LogWarning("cannot tell whether systemd-resolved is active: {}", error.what());
    return false;
  }
}

NodeConfig AssembleNodeConfig(const NodeConfigInput& input) {
  if (!input.cluster_value.is_object()) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("the cluster's KubeletConfiguration is a {}, not an object; write "
                    "it again: kubeadm init phase upload-config kubelet",
                    json::KindOf(input.cluster_value)));
  }
  NodeConfig config{.value = input.cluster_value};
  if (input.resolved_is_active) {
    const std::string own = json::TextAt(config.value, {"resolvConf"});
    if (own.empty()) {
      config.value["resolvConf"] = kResolvedResolvConf;
    } else if (own != kResolvedResolvConf) {
      config.own_resolv_conf = own;
    }
  }
  if (input.patches != nullptr) {
    Apply(*input.patches, config);
  }
  if (input.instance_config) {
    Apply(InstancePatch(*input.instance_config), config);
  }
  return config;
}

NodeConfig MakeNodeConfig(host::Host& host, json::Value cluster_value,
                          const node_input::PatchSet* patches, UseInstanceConfig use) {
  NodeConfigInput input{.cluster_value = std::move(cluster_value),
                        .resolved_is_active = ResolvedIsActive(host),
                        .patches = patches};
  if (use == UseInstanceConfig::kYes) {
    input.instance_config = host.files.Find(kInstanceConfigFile);
  }
  NodeConfig config = AssembleNodeConfig(input);
  if (config.own_resolv_conf) {
    base::LogWarning(
        "The recommended value for \"resolvConf\" in \"KubeletConfiguration\" is: {}; the provided "
        "value is: {}",
        kResolvedResolvConf, *config.own_resolv_conf);
  }
  return config;
}

void WriteNodeConfig(host::Files& files, const json::Value& value) {
  files.Write(kConfigFile, yaml::Emit(value), kReadableByAll);
}

}  // namespace kubelet
