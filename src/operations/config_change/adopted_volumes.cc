// SPDX-License-Identifier: Apache-2.0
#include "config_change/adopted_volumes.h"

#include <algorithm>
#include <array>

namespace config_change {
namespace {

bool IsVolume(const Difference& edit) {
  return edit.field.starts_with("volume ") || edit.field.starts_with("mount ");
}

std::vector<json::Value> Having(const json::Value& list, const std::string& name) {
  std::vector<json::Value> found;
  for (const json::Value& item : list.is_array() ? list : json::Value::array()) {
    if (json::TextAt(item, {"name"}) == name) {
      found.push_back(item);
    }
  }
  return found;
}

// A volume of the Pod with its mounts.
struct Mounted {
  std::vector<json::Value> volumes;
  std::vector<json::Value> mounts;
};

Mounted Find(const std::string& name, const json::Value& pod) {
  Mounted found{.volumes = Having(json::At(pod, {"spec", "volumes"}), name), .mounts = {}};
  if (const json::Value& containers = json::At(pod, {"spec", "containers"}); !containers.empty()) {
    found.mounts = Having(json::At(containers[0], {"volumeMounts"}), name);
  }
  return found;
}

bool Fits(const Mounted& mounted) {
  constexpr std::array<std::string_view, 3> kMembers{"name", "mountPath", "readOnly"};
  if (mounted.volumes.empty() && mounted.mounts.empty()) {
    return true;
  }
  if (mounted.volumes.size() != 1 || mounted.mounts.size() != 1 ||
      json::At(mounted.volumes[0], {"hostPath"}).is_null()) {
    return false;
  }
  return std::ranges::all_of(mounted.mounts[0].items(), [&](const auto& member) {
    return std::ranges::find(kMembers, member.key()) != kMembers.end();
  });
}

}  // namespace

std::string VolumeOf(const Difference& edit) {
  if (edit.field.starts_with("volume ")) {
    return edit.field.substr(edit.field.find(' ') + 1);
  }
  return json::TextAt(edit.disk ? *edit.disk : *edit.should, {"name"});
}

bool FitsExtraVolumes(std::span<const Difference> edits, const json::Value& pod) {
  return std::ranges::all_of(edits, [&](const Difference& edit) {
    return !IsVolume(edit) || Fits(Find(VolumeOf(edit), pod));
  });
}

std::optional<std::string> KeepVolume(const Difference& edit, const json::Value& pod,
                                      std::span<const config::HostPathMount> had,
                                      std::vector<config::HostPathMount>& volumes) {
  const std::string name = VolumeOf(edit);
  const Mounted mounted = Find(name, pod);
  const auto is_it = [&](const config::HostPathMount& volume) { return volume.name == name; };
  if (mounted.volumes.empty()) {
    std::erase_if(volumes, is_it);
    return std::ranges::any_of(had, is_it) ? std::nullopt
                                           : std::optional<std::string>("kubeadm mounts it");
  }
  if (mounted.mounts.empty()) {
    return "nothing mounts it";
  }
  const json::Value& mount = mounted.mounts[0];
  const json::Value& read_only = json::At(mount, {"readOnly"});
  std::erase_if(volumes, is_it);
  volumes.push_back({.name = name,
                     .host_path = json::TextAt(mounted.volumes[0], {"hostPath", "path"}),
                     .mount_path = json::TextAt(mount, {"mountPath"}),
                     .read_only = read_only.is_boolean() && read_only.get<bool>(),
                     .path_type = json::TextAt(mounted.volumes[0], {"hostPath", "type"})});
  return std::nullopt;
}

}  // namespace config_change
