// SPDX-License-Identifier: Apache-2.0
#include "upgrade/component_states.h"

#include <optional>

#include "base/error.h"
#include "config/component_configs.h"
#include "json/value.h"
#include "yaml/yaml.h"

namespace upgrade {
namespace {

struct GroupVersion {
  std::string group;
  std::string version;
};

GroupVersion Split(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? GroupVersion{"", std::string(api_version)}
                                         : GroupVersion{std::string(api_version.substr(0, slash)),
                                                        std::string(api_version.substr(slash + 1))};
}

// The format version of a stored text; "" if it is unreadable.
std::string VersionOf(const std::string& text) {
  try {
    return Split(json::TextAt(yaml::Parse(text).value, {"apiVersion"})).version;
  } catch (const base::Error&) {
    return "";
  }
}

ComponentState StateOf(const std::optional<config::StoredComponent>& stored,
                       std::string_view preferred) {
  const GroupVersion own = Split(preferred);
  ComponentState state{.group = own.group, .current = "", .preferred = own.version};
  if (stored) {
    state.current = VersionOf(stored->text);
    state.manual = !stored->generated && state.current != state.preferred;
  }
  return state;
}

}  // namespace

std::vector<ComponentState> ComponentStates(const config::StoredConfig& stored) {
  return {StateOf(stored.kube_proxy, config::kKubeProxyApiVersion),
          StateOf(stored.kubelet, config::kKubeletApiVersion)};
}

}  // namespace upgrade
