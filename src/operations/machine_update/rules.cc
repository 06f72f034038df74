// SPDX-License-Identifier: Apache-2.0
#include "machine_update/rules.h"

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "base/strings.h"
#include "base/version.h"
#include "releases/releases.h"

namespace machine_update {
namespace {

using base::Version;

constexpr std::string_view kVersion = "version";

// A field of ClusterConfiguration that `kubeadm upgrade node` writes into the static Pods of a
// control plane. Each element is one member name of its path.
struct RuledField {
  std::array<std::string_view, 3> path;
  // If true, only the removal of the field together with a new version is carried out. Cluster API
  // removes the feature gate when it upgrades to a version that does not have the gate any more.
  bool removed_by_upgrade = false;
};

constexpr std::string_view kCluster = "clusterConfiguration";
constexpr std::array kFields = {
    RuledField{{kCluster, "apiServer", "extraArgs"}},
    RuledField{{kCluster, "apiServer", "extraEnvs"}},
    RuledField{{kCluster, "apiServer", "extraVolumes"}},
    RuledField{{kCluster, "controllerManager", "extraArgs"}},
    RuledField{{kCluster, "controllerManager", "extraEnvs"}},
    RuledField{{kCluster, "controllerManager", "extraVolumes"}},
    RuledField{{kCluster, "scheduler", "extraArgs"}},
    RuledField{{kCluster, "scheduler", "extraEnvs"}},
    RuledField{{kCluster, "scheduler", "extraVolumes"}},
    RuledField{{kCluster, "featureGates", releases::kControlPlaneKubeletLocalMode}, true},
};

// Returns the field's value; null if the config does not have the field.
const json::Value& ValueAt(const json::Value& config, const RuledField& field) {
  return json::At(config, {field.path[0], field.path[1], field.path[2]});
}

bool Has(const json::Value& object, std::string_view name) {
  return object.is_object() && object.contains(name);
}

// Removes a member that is an empty object, unless `desired` has it.
void RemoveIfEmpty(json::Value& object, std::string_view name, const json::Value& desired) {
  const json::Value& member = json::At(object, {name});
  if (member.is_object() && member.empty() && !Has(desired, name)) {
    object.erase(std::string(name));
  }
}

// Gives the field in `config` its desired value, or removes it. Objects that are empty after a
// removal are removed, too, because Cluster API compares the patched spec with the desired one.
void TakeField(json::Value& config, const json::Value& desired, const RuledField& field) {
  const json::Value& value = ValueAt(desired, field);
  const auto& [cluster, component, name] = field.path;
  json::Value& cluster_value = config[std::string(cluster)];
  json::Value& component_value = cluster_value[std::string(component)];
  if (!value.is_null()) {
    component_value[std::string(name)] = value;
    return;
  }
  component_value.erase(std::string(name));
  RemoveIfEmpty(cluster_value, component, json::At(desired, {cluster}));
  RemoveIfEmpty(config, cluster, desired);
}

// Returns whether the field can be written: its parents in the config are objects or missing.
bool IsReachable(const json::Value& config, const RuledField& field) {
  const json::Value& cluster = json::At(config, {field.path[0]});
  const json::Value& component = json::At(config, {field.path[0], field.path[1]});
  return config.is_object() && (cluster.is_null() || cluster.is_object()) &&
         (component.is_null() || component.is_object());
}

// Returns the JSON merge patch that turns one object into another; an empty object if they are
// equal. `to` must not contain nulls.
json::Value MergeDiff(const json::Value& from, const json::Value& to) {
  json::Value patch = json::Value::object();
  for (const auto& [name, value] : from.items()) {
    if (!to.contains(name)) {
      patch[name] = nullptr;
    }
  }
  for (const auto& [name, value] : to.items()) {
    const bool exists = from.contains(name);
    if (exists && from.at(name).is_object() && value.is_object()) {
      if (json::Value inner = MergeDiff(from.at(name), value); !inner.empty()) {
        patch[name] = std::move(inner);
      }
    } else if (!exists || from.at(name) != value) {
      patch[name] = value;
    }
  }
  return patch;
}

std::string CheckControlPlane(const Version& from, const Version& to) {
  return to.minor <= from.minor + 1
             ? ""
             : fmt::format("a control plane of {} is not upgraded to {} in one step",
                           from.TextWithV(), to.TextWithV());
}

std::string CheckWorker(const Version& to, const std::string& cluster_version) {
  const auto cluster = Version::Parse(cluster_version);
  if (!cluster) {
    return "the version of the cluster is unknown";
  }
  return to >= *cluster ? ""
                        : fmt::format(
                              "the version {} is older than the cluster's version {}, to "
                              "which a node is upgraded",
                              to.TextWithV(), cluster->TextWithV());
}

}  // namespace

UpdatePatches PlanPatches(const UpdateSpecs& current, const UpdateSpecs& desired,
                          const UpdateScope& scope) {
  UpdatePatches patches;
  const std::string from = json::TextAt(current.machine, {kVersion});
  const std::string to = json::TextAt(desired.machine, {kVersion});
  const bool upgrades = from != to && CheckVersion(from, to, scope).empty();
  if (upgrades) {
    patches.machine = {{kVersion, to}};
  }
  if (!scope.control_plane || !desired.config.is_object()) {
    return patches;
  }
  json::Value patched = current.config;
  for (const RuledField& field : kFields) {
    const json::Value& value = ValueAt(desired.config, field);
    const bool differs = ValueAt(current.config, field) != value;
    const bool supported = !field.removed_by_upgrade || (upgrades && value.is_null());
    if (differs && supported && IsReachable(patched, field)) {
      TakeField(patched, desired.config, field);
    }
  }
  if (patched != current.config) {
    patches.config = MergeDiff(current.config, patched);
  }
  return patches;
}

std::string CheckVersion(const std::string& from, const std::string& to, const UpdateScope& scope) {
  const auto old_version = Version::Parse(from);
  const auto new_version = Version::Parse(to);
  if (!old_version || !new_version || !from.starts_with('v') || !to.starts_with('v')) {
    return fmt::format("{} and {} must be versions such as v1.37.2", base::Quoted(from),
                       base::Quoted(to));
  }
  if (*old_version == *new_version) {
    return "";
  }
  if (!scope.upgrades_kubelets) {
    return "kubelets are not upgraded: neither --kubelet-image nor --kubelet-command is set";
  }
  if (*new_version < *old_version) {
    return fmt::format("the version {} is older than {}", to, from);
  }
  if (!releases::Covers(*new_version)) {
    return fmt::format("the version {} is unknown. This program knows {}", to,
                       releases::SupportedRange());
  }
  return scope.control_plane ? CheckControlPlane(*old_version, *new_version)
                             : CheckWorker(*new_version, scope.cluster_version);
}

json::Value RuledValues(const json::Value& config) {
  json::Value values = json::Value::object();
  for (const RuledField& field : kFields) {
    if (const json::Value& value = ValueAt(config, field); !value.is_null()) {
      values[fmt::format("{}.{}.{}", field.path[0], field.path[1], field.path[2])] = value;
    }
  }
  return values;
}

}  // namespace machine_update
