#include "cluster/objects.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "pki/crypto.h"

namespace cluster {
namespace {

using data::Json;

Json Named(const char* kind, const ObjectName& name) {
  return {{"apiVersion", "v1"},
          {"kind", kind},
          {"metadata", {{"name", name.name}, {"namespace", name.name_space}}}};
}

}  // namespace

data::Json ServiceAccount(const ObjectName& name) {
  return {{"apiVersion", "v1"},
          {"kind", "ServiceAccount"},
          {"metadata", {{"name", name.name}, {"namespace", name.name_space}}}};
}

Json ConfigMap(const ObjectName& name, const std::map<std::string, std::string>& data) {
  Json object = Named("ConfigMap", name);
  object["data"] = data;
  return object;
}

Json Secret(const ObjectName& name, const std::map<std::string, std::string>& data,
            std::string_view type) {
  Json object = Named("Secret", name);
  object["data"] = Json::object();
  for (const auto& [key, value] : data) {
    object["data"][key] = base::Base64Encode(value);
  }
  if (!type.empty()) {
    object["type"] = type;
  }
  return object;
}

std::optional<std::string> SecretValue(const Json& secret, std::string_view key) {
  const std::string encoded = data::TextAt(secret, {"data", key});
  if (encoded.empty()) {
    return std::nullopt;
  }
  return base::WithContext(
      fmt::format("Secret \"{}\", key \"{}\"", data::TextAt(secret, {"metadata", "name"}), key),
      [&] { return base::Base64Decode(encoded); });
}

std::string ConfigHash(const Json& config_map) {
  std::string all;
  for (const auto& [key, value] : data::At(config_map, {"data"}).items()) {
    all += value.get<std::string>();
  }
  for (const auto& [key, value] : data::At(config_map, {"binaryData"}).items()) {
    all += base::Base64Decode(value.get<std::string>());
  }
  return "sha256:" + base::HexEncode(pki::Sha256(all));
}

void AnnotateHash(Json& config_map, const config::ComponentConfig& config) {
  if (!config.user_supplied) {
    config_map["metadata"]["annotations"][std::string(kHashAnnotation)] = ConfigHash(config_map);
  }
}

}  // namespace cluster
