// SPDX-License-Identifier: Apache-2.0
// Plain API objects with a cluster's data: ConfigMaps, Secrets and ServiceAccounts. Also the common
// parts of all kinds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "json/fwd.h"

namespace kube {

// The namespaces of every cluster.
inline constexpr std::string_view kSystemNamespace = "kube-system";
inline constexpr std::string_view kPublicNamespace = "kube-public";

// The location of an object. Does not own its strings, because it is used only as a parameter.
struct ObjectName {
  std::string_view name_space;
  std::string_view name;
};

// ServiceAccount returns an account without Secrets. ConfigMap returns a ConfigMap with `data`
// unchanged.
json::Value ServiceAccount(const ObjectName& name);

json::Value ConfigMap(const ObjectName& name, const std::map<std::string, std::string>& data);

// Returns a Secret with `data` in base64, as the API requires. Without a `type` it is Opaque.
json::Value Secret(const ObjectName& name, const std::map<std::string, std::string>& data,
                   std::string_view type = "");

// Returns a decoded value of a Secret. Returns std::nullopt if the key is missing or its value is
// empty. Throws base::Error(kInvalid) for a value that is not base64.
std::optional<std::string> SecretValue(const json::Value& secret, std::string_view key);

// Returns a pointer into `object`: the entry of `status.conditions` with that type; nullptr without
// such an entry.
const json::Value* FindCondition(const json::Value& object, std::string_view type);

// Returns whether metadata.ownerReferences names an object of that kind and name.
bool IsOwnedBy(const json::Value& object, std::string_view kind, std::string_view name);

}  // namespace kube
