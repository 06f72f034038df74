// SPDX-License-Identifier: Apache-2.0
#include "config_change/adopt.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "config/paths.h"
#include "config_change/adopted_volumes.h"
#include "config_change/fields.h"
#include "json/texts.h"
#include "node_input/patches.h"
#include "patch/patch.h"

namespace config_change {
namespace {

// Arguments whose values depend on the node.
constexpr std::array<std::string_view, 8> kOfOneNode{
    "--advertise-address",     "--name",
    "--advertise-client-urls", "--initial-advertise-peer-urls",
    "--listen-client-urls",    "--listen-peer-urls",
    "--initial-cluster",       "--initial-cluster-state"};

// Arguments whose values kubeadm derives from other fields of the ClusterConfiguration, such as
// networking.podSubnet.
constexpr std::array<std::string_view, 10> kOfTheConfiguration{"--allocate-node-cidrs",
                                                               "--cluster-cidr",
                                                               "--cluster-name",
                                                               "--data-dir",
                                                               "--etcd-cafile",
                                                               "--etcd-certfile",
                                                               "--etcd-keyfile",
                                                               "--etcd-servers",
                                                               "--service-cluster-ip-range",
                                                               "--service-account-issuer"};

// The fields of the ClusterConfiguration for a component's additional settings.
struct Extras {
  config::Args* args = nullptr;
  std::vector<json::Value>* envs = nullptr;
  std::vector<config::HostPathMount>* volumes = nullptr;  // etcd has none
};

std::optional<Extras> ExtrasOf(const std::string& component,
                               config::ClusterConfiguration& cluster) {
  const auto of = [](config::ControlPlaneComponent& settings) {
    return Extras{&settings.extra_args, &settings.extra_envs, &settings.extra_volumes};
  };
  if (component == config::kApiServer) {
    return of(cluster.api_server.component);
  }
  if (component == config::kControllerManager) {
    return of(cluster.controller_manager);
  }
  if (component == config::kScheduler) {
    return of(cluster.scheduler);
  }
  if (component == config::kEtcd && cluster.etcd.local) {
    return Extras{&cluster.etcd.local->extra_args, &cluster.etcd.local->extra_envs, nullptr};
  }
  return std::nullopt;
}

const json::Value& FirstContainer(const json::Value& pod) {
  static const json::Value kNothing = json::Value::object();
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  return containers.is_array() && !containers.empty() ? containers[0] : kNothing;
}

// Applies the edit of an argument to `args`. Returns the reason if the edit cannot be kept,
// otherwise std::nullopt.
std::optional<std::string> KeepFlag(const Difference& edit, config::Args& args) {
  if (std::ranges::find(kOfOneNode, edit.field) != kOfOneNode.end()) {
    return "it differs from node to node";
  }
  const std::string name = edit.field.substr(edit.field.find_first_not_of('-'));
  const auto erased = std::erase_if(args, [&](const config::Arg& arg) { return arg.name == name; });
  if (!edit.disk) {
    return erased > 0 ? std::nullopt
                      : std::optional<std::string>(
                            "kubeadm always sets it: give it another value "
                            "instead");
  }
  const json::Value values = edit.disk->is_array() ? *edit.disk : json::Value::array({*edit.disk});
  for (const std::string& value : json::TextsIn(values)) {
    args.push_back({.name = name, .value = value});
  }
  return std::nullopt;
}

std::optional<std::string> KeepVariable(const Difference& edit, const json::Value& pod,
                                        std::vector<json::Value>& envs) {
  const std::string name = edit.field.substr(edit.field.find(' ') + 1);
  const auto is_it = [&](const json::Value& env) { return json::TextAt(env, {"name"}) == name; };
  const auto erased = std::erase_if(envs, is_it);
  const json::Value& list = json::At(FirstContainer(pod), {"env"});
  const auto found = std::ranges::find_if(list, is_it);
  if (list.is_array() && found != list.end()) {
    envs.push_back(*found);
    return std::nullopt;
  }
  return erased > 0 ? std::nullopt : std::optional<std::string>("kubeadm gives it");
}

bool OfVolumes(const Difference& edit) {
  return edit.field.starts_with("volume ") || edit.field.starts_with("mount ");
}

bool OfArguments(const Difference& edit) {
  return edit.field.starts_with('-') || edit.field.starts_with("word ") || edit.field == "program";
}

std::string WhyNotTaken(Side side) {
  return side == Side::kCluster
             ? "the cluster's configuration is right: 'kubeadm config apply' brings this node to it"
             : "the cluster's configuration sets it as well, and may be newer: name the side that "
               "is "
               "right with --side node or --side cluster";
}

// An edited image is not kept, because it would pin the component's version when the other
// components are upgraded.
constexpr const char* kWhyImagesStay =
    "a patch would keep this version through every upgrade; to use another registry, run 'kubeadm "
    "config apply --set imageRepository=...'";

// Replaces the member `name` of `to` by the member of `from`. Removes it if `from` lacks it.
void TakeMember(const char* name, const json::Value& from, json::Value& to) {
  if (from.contains(name)) {
    to[name] = from[name];
  } else if (to.is_object()) {
    to.erase(name);
  }
}

// Replaces the elements with this name in the list `to` by those in the list `from`.
void TakeNamed(const std::string& name, const json::Value& from, json::Value& to) {
  json::Value taken = json::Value::array();
  const auto add = [&](const json::Value& list, bool named) {
    for (const json::Value& item : list.is_array() ? list : json::Value::array()) {
      if ((json::TextAt(item, {"name"}) == name) == named) {
        taken.push_back(item);
      }
    }
  };
  add(to, false);
  add(from, true);
  to = std::move(taken);
}

// Replaces the value of a field of SettingFields in `to` by the value in `from`.
void TakeLeaf(const std::string& field, const json::Value& from, json::Value& to) {
  for (const auto& [name, member] : from.items()) {
    if (name == field) {
      to[name] = member;
    } else if (member.is_object() && field.starts_with(name + ".")) {
      TakeLeaf(field.substr(name.size() + 1), member, to[name]);
    }
  }
}

// Converts one component's edits into an Adoption.
class Adopter {
 public:
  Adopter(const Component& component, const Decide& decide, Adoption& adoption)
      : component_(component),
        decide_(decide),
        adoption_(adoption),
        extras_(ExtrasOf(component.name, adoption.cluster)) {
    if (extras_ && extras_->volumes != nullptr) {
      had_ = *extras_->volumes;
    }
  }

  void Keep() {
    for (const Difference& difference : Compare(component_)) {
      if (!IsEdit(difference)) {
        not_ours_.push_back(difference);
      } else if (difference.outcome == Outcome::kLost && difference.field == "image") {
        not_ours_.push_back(difference);
        Done(difference, kWhyImagesStay);
      } else if (difference.outcome == Outcome::kLost) {
        Sort(difference);
      }
    }
    if (edits_.empty()) {
      return;
    }
    if (component_.kind == Kind::kStaticPod) {
      KeepPod();
    } else if (component_.kind == Kind::kValues || component_.kind == Kind::kObject) {
      for (const Difference& edit : edits_) {
        Done(edit, "kubeadm sets it, and no patch can change it");
      }
    } else {
      KeepByPatch(InForce(), edits_);
    }
  }

 private:
  const json::Value& InForce() const {
    return component_.disk ? *component_.disk : component_.runs.value();
  }

  // Decides whether an edit is converted. Skips it if the cluster's configuration sets the value,
  // unless `decide_` chooses the value of this node.
  void Sort(const Difference& edit) {
    const Side side = !IsSetByCluster(edit) ? Side::kNode
                      : decide_             ? decide_(edit)
                                            : Side::kUnknown;
    if (side == Side::kNode) {
      edits_.push_back(edit);
    } else {
      left_out_.push_back(edit);
      Done(edit, WhyNotTaken(side));
    }
  }

  bool IsSetByCluster(const Difference& edit) const {
    if (component_.kind == Kind::kSettings) {
      return component_.chosen && edit.should;
    }
    if (component_.kind != Kind::kStaticPod || !extras_) {
      return false;
    }
    if (edit.field.starts_with('-')) {
      const std::string name = edit.field.substr(edit.field.find_first_not_of('-'));
      return std::ranges::contains(kOfTheConfiguration, edit.field) ||
             std::ranges::contains(*extras_->args, name, &config::Arg::name);
    }
    if (edit.field.starts_with("env ")) {
      const std::string name = edit.field.substr(edit.field.find(' ') + 1);
      return std::ranges::any_of(*extras_->envs, [&](const json::Value& env) {
        return json::TextAt(env, {"name"}) == name;
      });
    }
    return OfVolumes(edit) &&
           std::ranges::contains(had_, VolumeOf(edit), &config::HostPathMount::name);
  }

  void Done(const Difference& edit, const std::optional<std::string>& why) {
    if (why) {
      adoption_.left.push_back({edit, *why});
    } else {
      adoption_.kept.push_back(edit);
    }
  }

  void KeepPod() {
    const bool volumes_by_patch =
        extras_->volumes == nullptr || !FitsExtraVolumes(edits_, InForce());
    std::vector<Difference> by_patch;
    for (const Difference& edit : edits_) {
      if (OfVolumes(edit) ? volumes_by_patch
                          : !OfArguments(edit) && !edit.field.starts_with("env ")) {
        by_patch.push_back(edit);
        continue;
      }
      const std::optional<std::string> why = KeepInCluster(edit);
      adoption_.changes_cluster = adoption_.changes_cluster || !why;
      Done(edit, why);
    }
    if (!by_patch.empty()) {
      KeepByPatch(WithoutClusters(volumes_by_patch), by_patch);
    }
  }

  std::optional<std::string> KeepInCluster(const Difference& edit) {
    if (edit.field.starts_with('-')) {
      return KeepFlag(edit, *extras_->args);
    }
    if (edit.field.starts_with("env ")) {
      return KeepVariable(edit, InForce(), *extras_->envs);
    }
    return OfVolumes(edit) ? KeepVolume(edit, InForce(), had_, *extras_->volumes)
                           : std::optional<std::string>("it is not an argument with a name");
  }

  // Returns the present Pod, with the wanted values of all fields that the cluster's configuration
  // sets.
  json::Value WithoutClusters(bool volumes_by_patch) const {
    json::Value pod = InForce();
    const json::Value& should = *component_.should;
    json::Value& container = pod["spec"]["containers"][0];
    for (const char* member : {"command", "args", "env"}) {
      TakeMember(member, FirstContainer(should), container);
    }
    if (!volumes_by_patch) {
      TakeMember("volumeMounts", FirstContainer(should), container);
      TakeMember("volumes", json::At(should, {"spec"}), pod["spec"]);
    }
    for (const Difference& edit : left_out_) {
      if (volumes_by_patch && OfVolumes(edit)) {
        TakeNamed(VolumeOf(edit), json::At(FirstContainer(should), {"volumeMounts"}),
                  container["volumeMounts"]);
        TakeNamed(VolumeOf(edit), json::At(should, {"spec", "volumes"}), pod["spec"]["volumes"]);
      }
    }
    return pod;
  }

  // Resets values in `object` to the wanted values if a patch must not contain them. Such values
  // depend on a run, or upgrades keep them without a patch.
  void TakeWhatIsNotOurs(json::Value& object) const {
    json::Value* pod = component_.kind == Kind::kStaticPod ? &object : &object["spec"]["template"];
    const json::Value& should = component_.kind == Kind::kStaticPod
                                    ? *component_.should
                                    : json::At(*component_.should, {"spec", "template"});
    for (const Difference& difference : not_ours_) {
      json::Value& container = (*pod)["spec"]["containers"][0];
      if (difference.field == "image") {
        TakeMember("image", FirstContainer(should), container);
      } else if (difference.field == "startupProbe.failureThreshold") {
        TakeMember("failureThreshold", json::At(FirstContainer(should), {"startupProbe"}),
                   container["startupProbe"]);
      } else if (difference.field == "spec.replicas") {
        TakeMember("replicas", json::At(*component_.should, {"spec"}), object["spec"]);
      }
    }
  }

  void KeepByPatch(json::Value in_force, const std::vector<Difference>& edits) {
    static const std::map<Kind, std::pair<std::string_view, patch::Schema>> kTargets{
        {Kind::kSettings,
         {node_input::kKubeletConfigurationTarget, patch::Schema::kKubeletConfiguration}},
        {Kind::kDeployment, {node_input::kCoreDnsDeploymentTarget, patch::Schema::kDeployment}},
        {Kind::kDaemonSet, {node_input::kKubeProxyDaemonSetTarget, patch::Schema::kDaemonSet}}};
    const auto row = kTargets.find(component_.kind);
    const patch::Schema schema = row == kTargets.end() ? patch::Schema::kPod : row->second.second;
    json::Value document;
    if (component_.kind == Kind::kSettings) {
      for (const Difference& edit : left_out_) {
        TakeLeaf(edit.field, *component_.should, in_force);
      }
      document = patch::StrategicDiff(*component_.should, in_force, schema);
    } else {
      TakeWhatIsNotOurs(in_force);
      document = patch::StrategicDiff(Patchable(*component_.should), Patchable(in_force), schema);
    }
    adoption_.patches.push_back(
        {.target = row == kTargets.end() ? component_.name : std::string(row->second.first),
         .document = std::move(document)});
    for (const Difference& edit : edits) {
      Done(edit, std::nullopt);
    }
  }

  // Returns the object without the API server's additions, which are not edits.
  json::Value Patchable(const json::Value& object) const {
    json::Value kept = {{"spec", WithoutDefaults(json::At(object, {"spec"}))}};
    if (component_.kind == Kind::kStaticPod) {
      for (const char* texts : {"labels", "annotations"}) {  // an empty map has a meaning
        if (const json::Value& own = json::At(object, {"metadata", texts}); own.is_object()) {
          kept["metadata"][texts] = own;
        }
      }
    } else {
      kept["metadata"] = OwnMetadata(object);
    }
    return kept;
  }

  const Component& component_;
  const Decide& decide_;
  Adoption& adoption_;
  std::optional<Extras> extras_;
  std::vector<config::HostPathMount> had_;  // the extraVolumes before the first edit
  std::vector<Difference> edits_;
  std::vector<Difference> not_ours_;
  std::vector<Difference> left_out_;  // edits for which the cluster's value is kept
};

}  // namespace

Adoption Adopt(std::span<const Component> components, const config::ClusterConfiguration& cluster,
               const Decide& decide) {
  Adoption adoption{.cluster = cluster};
  for (const Component& component : components) {
    Adopter(component, decide, adoption).Keep();
  }
  return adoption;
}

std::string PatchFileName(const NewPatch& patch, std::span<const std::string> existing) {
  std::string name;
  for (int number = 1; name.empty() || std::ranges::find(existing, name) != existing.end();
       ++number) {
    name = fmt::format("{}-adopted{:03}+strategic.yaml", patch.target, number);
  }
  return name;
}

}  // namespace config_change
