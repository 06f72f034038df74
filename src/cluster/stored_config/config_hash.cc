// SPDX-License-Identifier: Apache-2.0
#include "stored_config/config_hash.h"

#include "base/strings.h"
#include "pki/crypto.h"

namespace stored_config {

std::string ConfigHash(const json::Value& config_map) {
  std::string all;
  for (const auto& [key, value] : json::At(config_map, {"data"}).items()) {
    all += value.get<std::string>();
  }
  for (const auto& [key, value] : json::At(config_map, {"binaryData"}).items()) {
    all += base::Base64Decode(value.get<std::string>());
  }
  return "sha256:" + base::HexEncode(pki::Sha256(all));
}

void AnnotateHash(json::Value& config_map, const config::ComponentConfig& config) {
  if (!config.user_supplied) {
    config_map["metadata"]["annotations"][std::string(kHashAnnotation)] = ConfigHash(config_map);
  }
}

}  // namespace stored_config
