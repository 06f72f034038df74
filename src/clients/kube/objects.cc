// SPDX-License-Identifier: Apache-2.0
#include "kube/objects.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"

namespace kube {
namespace {

json::Value Named(const char* kind, const ObjectName& name) {
  return {{"apiVersion", "v1"},
          {"kind", kind},
          {"metadata", {{"name", name.name}, {"namespace", name.name_space}}}};
}

}  // namespace

json::Value ServiceAccount(const ObjectName& name) {
  return {{"apiVersion", "v1"},
          {"kind", "ServiceAccount"},
          {"metadata", {{"name", name.name}, {"namespace", name.name_space}}}};
}

json::Value ConfigMap(const ObjectName& name, const std::map<std::string, std::string>& data) {
  json::Value object = Named("ConfigMap", name);
  object["data"] = data;
  return object;
}

json::Value Secret(const ObjectName& name, const std::map<std::string, std::string>& data,
                   std::string_view type) {
  json::Value object = Named("Secret", name);
  object["data"] = json::Value::object();
  for (const auto& [key, value] : data) {
    object["data"][key] = base::Base64Encode(value);
  }
  if (!type.empty()) {
    object["type"] = type;
  }
  return object;
}

std::optional<std::string> SecretValue(const json::Value& secret, std::string_view key) {
  const std::string encoded = json::TextAt(secret, {"data", key});
  if (encoded.empty()) {
    return std::nullopt;
  }
  return base::WithContext(
      fmt::format("Secret \"{}\", key \"{}\"", json::TextAt(secret, {"metadata", "name"}), key),
      [&] { return base::Base64Decode(encoded); });
}

const json::Value* FindCondition(const json::Value& object, std::string_view type) {
  const json::Value& conditions = json::At(object, {"status", "conditions"});
  if (!conditions.is_array()) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(
      conditions, [&](const json::Value& each) { return json::TextAt(each, {"type"}) == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool IsOwnedBy(const json::Value& object, std::string_view kind, std::string_view name) {
  const json::Value& owners = json::At(object, {"metadata", "ownerReferences"});
  return owners.is_array() && std::ranges::any_of(owners, [&](const json::Value& owner) {
           return json::TextAt(owner, {"kind"}) == kind && json::TextAt(owner, {"name"}) == name;
         });
}

}  // namespace kube
