// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/patched.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/feature_gates.h"
#include "json/value.h"
#include "node_input/patches.h"
#include "patch/patch.h"
#include "static_pods/restart.h"
#include "upgrade/wanted_pods.h"
#include "upgrade_path/environment.h"
#include "upgrade_path/gather.h"

namespace upgrade_path {
namespace {

using Settings = std::vector<Setting>;

// The settings of one component.
struct Found {
  Settings arguments = {};
  Settings gates = {};
  Settings godebug = {};
};

void AddArguments(const json::Value& words, const std::string& where, Settings& arguments) {
  for (const json::Value& word : words) {
    const std::string text = word.is_string() ? word.get<std::string>() : "";
    const std::size_t equals = text.find('=');
    if (text.starts_with("--") && equals != std::string::npos) {
      arguments.push_back(
          {.where = where, .name = text.substr(2, equals - 2), .value = text.substr(equals + 1)});
    }
  }
}

Settings GatesOf(const Settings& arguments, const std::string& where) {
  std::vector<std::string> values;
  for (const Setting& argument : arguments) {
    if (argument.name == config::kFeatureGatesArgument) {
      values.push_back(argument.value);
    }
  }
  return GateSettings(where, config::ParseComponentGates(values));
}

Found SettingsOfPod(const json::Value& pod, const std::string& where) {
  Found found;
  for (const json::Value& container : json::At(pod, {"spec", "containers"})) {
    std::ranges::move(GodebugOfContainer(container, where), std::back_inserter(found.godebug));
    AddArguments(json::At(container, {"command"}), where, found.arguments);
    AddArguments(json::At(container, {"args"}), where, found.arguments);
  }
  found.gates = GatesOf(found.arguments, where);
  return found;
}

// Appends the settings that only the patched object has.
void AddNew(const Settings& before, Settings after, const std::string& directory,
            Settings& settings) {
  for (Setting& setting : after) {
    const bool was_there = std::ranges::any_of(before, [&](const Setting& old) {
      return old.name == setting.name && old.value == setting.value;
    });
    if (!was_there) {
      setting.edit = directory;
      settings.push_back(std::move(setting));
    }
  }
}

std::string Where(std::string_view target) { return fmt::format("a patch of {}", target); }

void CollectPod(const static_pods::Replacement& wanted, const node_input::PatchSet& patches,
                PathFacts& facts) {
  const std::string_view target = components::Name(wanted.component);
  const node_input::Patched patched =
      node_input::ApplyPatches(patches, target, wanted.pod, patch::Schema::kPod);
  const Found before = SettingsOfPod(wanted.pod, Where(target));
  Found after = SettingsOfPod(patched.value, Where(target));
  const std::string directory = patches.directory.string();
  if (wanted.component == components::Component::kApiServer) {
    AddNew(before.arguments, std::move(after.arguments), directory, facts.api_server_arguments);
  }
  AddNew(before.gates, std::move(after.gates), directory, facts.gates);
  AddNew(before.godebug, std::move(after.godebug), directory, facts.control_plane_godebug);
}

void CollectKubelet(const config::ClusterConfiguration& cluster,
                    const node_input::PatchSet& patches, PathFacts& facts) {
  const std::string_view target = node_input::kKubeletConfigurationTarget;
  const json::Value& config = cluster.kubelet.value;
  const node_input::Patched patched =
      node_input::ApplyPatches(patches, target, config.is_object() ? config : json::Value::object(),
                               patch::Schema::kKubeletConfiguration);
  AddNew(GatesOfConfig(Where(target), config), GatesOfConfig(Where(target), patched.value),
         patches.directory.string(), facts.kubelet_gates);
}

}  // namespace

void CollectPatched(const PatchedRequest& request, PathFacts& facts) {
  if (request.directory.empty()) {
    return;
  }
  const node_input::PatchSet patches =
      node_input::ReadPatches(request.host.files, request.directory);
  config::Init config = request.config;
  config.cluster.kubernetes_version = request.wanted.TextWithV();
  const upgrade::WantedPods wanted =
      upgrade::FindWantedPods(request.host, config, upgrade::EtcdPod::kLeave);
  for (const static_pods::Replacement& pod : wanted.pods) {
    CollectPod(pod, patches, facts);
  }
  CollectKubelet(config.cluster, patches, facts);
}

}  // namespace upgrade_path
