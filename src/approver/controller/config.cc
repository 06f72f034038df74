// SPDX-License-Identifier: Apache-2.0
#include "controller/config.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/problems.h"
#include "yaml/yaml.h"

namespace controller {
namespace {

// Returns the position of a field for error messages.
std::string Place(const yaml::Document& document, const std::string& path) {
  const yaml::Position at = yaml::PositionOf(document, path);
  return at.line == 0 ? path : fmt::format("line {}: {}", at.line, path);
}

// Returns the one allowed member of an object; null if it is missing.
const json::Value& OnlyMember(const yaml::Document& document, const json::Value& object,
                              const std::string& path, const std::string& name,
                              base::Problems& problems) {
  static const json::Value kNull;
  if (object.is_null()) {
    return kNull;
  }
  if (!object.is_object()) {
    problems.Add(Place(document, path),
                 fmt::format("must be an object, is a {}", json::KindOf(object)));
    return kNull;
  }
  const json::Value* found = &kNull;
  for (const auto& [key, value] : object.items()) {
    if (key == name) {
      found = &value;
    } else {
      const std::string field = path.empty() ? key : fmt::format("{}.{}", path, key);
      problems.Add(Place(document, field), fmt::format("unknown field, only {} is known", name));
    }
  }
  return *found;
}

}  // namespace

Config ReadConfig(std::string_view text) {
  const yaml::Document document = yaml::Parse(text);
  base::Problems problems = document.duplicates;
  const json::Value& client = OnlyMember(document, document.value, "", "nodeClientCert", problems);
  const json::Value& disabled =
      OnlyMember(document, client, "nodeClientCert", "disabled", problems);
  Config config;
  if (disabled.is_boolean()) {
    config.client_disabled = disabled.get<bool>();
  } else if (!disabled.is_null()) {
    problems.Add(Place(document, "nodeClientCert.disabled"),
                 fmt::format("must be true or false, is a {}", json::KindOf(disabled)));
  }
  if (std::ranges::count_if(yaml::Split(text), yaml::HasContent) > 1) {
    problems.Add("", "there is more than one YAML document");
  }
  problems.ThrowIfAny();
  return config;
}

}  // namespace controller
