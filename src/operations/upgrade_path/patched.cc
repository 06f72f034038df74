// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/patched.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "addons/coredns.h"
#include "addons/kube_proxy.h"
#include "config/feature_gates.h"
#include "control_plane/wanted_pods.h"
#include "json/value.h"
#include "node_input/patches.h"
#include "patch/patch.h"
#include "releases/releases.h"
#include "static_pods/restart.h"
#include "static_pods/static_pod.h"
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
  std::vector<kubelet::Word> line;
  for (const json::Value& word : words) {
    line.push_back({.file = where, .text = word.is_string() ? word.get<std::string>() : ""});
  }
  std::ranges::move(ArgumentsOf(line), std::back_inserter(arguments));
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

// Returns the GODEBUG settings of a Pod's containers; `spec` is the Pod's.
Settings GodebugOfPod(const json::Value& spec, const std::string& where) {
  Settings settings;
  for (const json::Value& container : json::At(spec, {"containers"})) {
    std::ranges::move(GodebugOfContainer(container, where), std::back_inserter(settings));
  }
  return settings;
}

Found SettingsOfPod(const json::Value& pod, const std::string& where) {
  const json::Value& spec = json::At(pod, {"spec"});
  Found found{.godebug = GodebugOfPod(spec, where)};
  for (const json::Value& container : json::At(spec, {"containers"})) {
    AddArguments(json::At(container, {"command"}), where, found.arguments);
    AddArguments(json::At(container, {"args"}), where, found.arguments);
  }
  found.gates = GatesOf(found.arguments, where);
  return found;
}

// Appends the settings that the patch has added: they are in `after`, but not in `before`.
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

// A patched Deployment or DaemonSet. An upgrade replaces the whole object. So environment variables
// that the user has set in the cluster's object do not affect the new program.
struct Addon {
  std::string_view target;
  patch::Schema schema;
  json::Value object;
};

// Returns the addons that an upgrade to `wanted` installs. Leaves out CoreDNS if the configuration
// selects an older CoreDNS than the default of `wanted`, because another Go version may have built
// it.
std::vector<Addon> AddonsOf(const PatchedRequest& request,
                            const config::ClusterConfiguration& cluster) {
  std::vector<Addon> addons;
  const auto dns = base::Version::ParseGeneric(cluster.dns.image_tag);
  const auto newest = base::Version::ParseGeneric(releases::For(request.wanted).core_dns);
  if (!cluster.dns.disabled && !(dns && newest && *dns < *newest)) {
    addons.push_back({.target = node_input::kCoreDnsDeploymentTarget,
                      .schema = patch::Schema::kDeployment,
                      .object = addons::CoreDnsDeployment(cluster, addons::kCoreDnsReplicas)});
  }
  if (!cluster.proxy.disabled) {
    addons.push_back({.target = node_input::kKubeProxyDaemonSetTarget,
                      .schema = patch::Schema::kDaemonSet,
                      .object = addons::KubeProxyDaemonSet(
                          cluster, static_pods::ProxyEnvironment(request.host.environment.All()))});
  }
  return addons;
}

// Skips feature gates in kube-proxy's arguments. kube-proxy ignores them, because its arguments
// name a configuration file.
void CollectAddon(const Addon& addon, const node_input::PatchSet& patches, PathFacts& facts) {
  const auto godebug = [&](const json::Value& object) {
    return GodebugOfPod(json::At(object, {"spec", "template", "spec"}), Where(addon.target));
  };
  const node_input::Patched patched =
      node_input::ApplyPatches(patches, addon.target, addon.object, addon.schema);
  AddNew(godebug(addon.object), godebug(patched.value), patches.directory.string(),
         facts.control_plane_godebug);
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
  const control_plane::WantedPods wanted =
      control_plane::FindWantedPods(request.host, config, control_plane::EtcdPod::kLeave);
  for (const static_pods::Replacement& pod : wanted.pods) {
    CollectPod(pod, patches, facts);
  }
  for (const Addon& addon : AddonsOf(request, config.cluster)) {
    CollectAddon(addon, patches, facts);
  }
  CollectKubelet(config.cluster, patches, facts);
}

}  // namespace upgrade_path
