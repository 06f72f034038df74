// Plain API objects that kubeadm keeps its data in.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/types.h"
#include "json/value.h"

namespace cluster {

// ObjectName is where an object lives.
struct ObjectName {
  std::string_view name_space;
  std::string_view name;
};

json::Value ServiceAccount(const ObjectName& name);

json::Value ConfigMap(const ObjectName& name, const std::map<std::string, std::string>& data);

// Secret holds `data` in base64, as the API wants it. No `type` is an Opaque one.
json::Value Secret(const ObjectName& name, const std::map<std::string, std::string>& data,
                   std::string_view type = "");

// SecretValue is a decoded value of a Secret; nothing when the key is missing or empty. Throws
// base::Error(kInvalid) for a value that is no base64.
std::optional<std::string> SecretValue(const json::Value& secret, std::string_view key);

// kHashAnnotation marks a ConfigMap of a component's configuration that the user did not write:
// an upgrade may replace it. Its value is ConfigHash of the object.
inline constexpr std::string_view kHashAnnotation = "kubeadm.kubernetes.io/component-config.hash";

// ConfigHash is "sha256:" + hex SHA-256 over the values of `data`, then of `binaryData`, each in
// the order of their keys.
std::string ConfigHash(const json::Value& config_map);

// AnnotateHash adds the annotation unless the configuration is the user's own.
void AnnotateHash(json::Value& config_map, const config::ComponentConfig& config);

}  // namespace cluster
