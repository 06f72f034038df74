#include "approver/config.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/problems.h"
#include "base/strings.h"
#include "data/yaml.h"

namespace approver {
namespace {

using data::Json;

// Place is where a field stands, for messages.
std::string Place(const data::YamlDocument& document, const std::string& path) {
  const data::Position at = data::PositionOf(document, path);
  return at.line == 0 ? path : fmt::format("line {}: {}", at.line, path);
}

// OnlyMember is the one member that an object may have; null when it is not there.
const Json& OnlyMember(const data::YamlDocument& document, const Json& object,
                       const std::string& path, const std::string& name, base::Problems& problems) {
  static const Json kNull;
  if (object.is_null()) {
    return kNull;
  }
  if (!object.is_object()) {
    problems.Add(Place(document, path),
                 fmt::format("must be an object, is a {}", data::KindOf(object)));
    return kNull;
  }
  const Json* found = &kNull;
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

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.is_array() ? list : Json::array()) {
    texts.push_back(item.is_string() ? item.get<std::string>() : "");
  }
  return texts;
}

}  // namespace

Config ReadConfig(std::string_view text) {
  const data::YamlDocument document = data::ParseYaml(text);
  base::Problems problems = document.duplicates;
  const Json& client = OnlyMember(document, document.value, "", "nodeClientCert", problems);
  const Json& disabled = OnlyMember(document, client, "nodeClientCert", "disabled", problems);
  Config config;
  if (disabled.is_boolean()) {
    config.client_disabled = disabled.get<bool>();
  } else if (!disabled.is_null()) {
    problems.Add(Place(document, "nodeClientCert.disabled"),
                 fmt::format("must be true or false, is a {}", data::KindOf(disabled)));
  }
  if (data::SplitYaml(text).size() > 1) {
    problems.Add("", "there is more than one YAML document");
  }
  problems.ThrowIfAny();
  return config;
}

Egress DecodeHostSubnet(const Json& object) {
  return {.ips = Texts(data::At(object, {"egressIPs"})),
          .cidrs = Texts(data::At(object, {"egressCIDRs"})),
          .problem = {}};
}

}  // namespace approver
