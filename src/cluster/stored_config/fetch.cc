// SPDX-License-Identifier: Apache-2.0
#include "stored_config/fetch.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "kube/objects.h"
#include "stored_config/config_hash.h"
#include "stored_config/upload.h"

namespace stored_config {
namespace {

using base::Error;

constexpr std::string_view kKubeProxyConfigMap = "kube-proxy";
constexpr std::string_view kKubeProxyKey = "config.conf";

json::Value ReadConfigMap(kube::Client& client, std::string_view name) {
  json::Value map;
  client.Retry(fmt::format("failed to get ConfigMap \"{}\"", name), [&] {
    map = client.Get({kube::resources::kConfigMap, kube::kSystemNamespace, name});
  });
  return map;
}

std::string ValueOf(const json::Value& map, std::string_view key) {
  const json::Value& value = json::At(map, {"data", key});
  if (!value.is_string()) {
    throw Error(Error::Kind::kInvalid, fmt::format("ConfigMap \"{}\" has no key \"{}\"",
                                                   json::TextAt(map, {"metadata", "name"}), key));
  }
  return value.get<std::string>();
}

config::StoredComponent ComponentOf(const json::Value& map, std::string_view key) {
  const std::string hash = json::TextAt(map, {"metadata", "annotations", kHashAnnotation});
  return {.text = ValueOf(map, key), .generated = !hash.empty() && hash == ConfigHash(map)};
}

std::optional<config::StoredComponent> FetchKubeProxy(kube::Client& client) {
  try {
    return ComponentOf(ReadConfigMap(client, kKubeProxyConfigMap), kKubeProxyKey);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNotFound && error.kind() != Error::Kind::kForbidden) {
      throw;
    }
    base::LogWarning("the configuration of kube-proxy cannot be read, continuing without it: {}",
                     error.message());
    return std::nullopt;
  }
}

}  // namespace

config::StoredConfig FetchStoredConfig(kube::Client& client, ComponentConfigs components) {
  config::StoredConfig stored{
      .cluster = ValueOf(ReadConfigMap(client, kKubeadmConfigMap), kClusterConfigurationKey)};
  if (components == ComponentConfigs::kFetch) {
    stored.kubelet = ComponentOf(ReadConfigMap(client, kKubeletConfigMap), kKubeletConfigKey);
    stored.kube_proxy = FetchKubeProxy(client);
  }
  return stored;
}

config::Init LoadClusterConfig(kube::Client& client, const config::ApiEndpoint& endpoint,
                               const config::Facts& facts) {
  return config::LoadStored(FetchStoredConfig(client), {.local_api_endpoint = endpoint}, facts,
                            {.cri_socket = config::CriSocketChoice::kAssume,
                             .advertise_address = config::AdvertiseAddress::kKeep});
}

}  // namespace stored_config
