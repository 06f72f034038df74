// SPDX-License-Identifier: Apache-2.0
#include "machine_update/updated_machine.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "yaml/yaml.h"

namespace machine_update {
namespace {

using base::Error;

constexpr const char* kUpdatingAnnotation =
    "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
constexpr const char* kPendingAnnotation = "runtime.cluster.x-k8s.io/pending-hooks";
constexpr const char* kHostnameLabel = "kubernetes.io/hostname";
constexpr const char* kControlPlaneNodes = "node-role.kubernetes.io/control-plane";

std::int64_t GenerationOf(const json::Value& object) {
  const json::Value& generation = json::At(object, {"metadata", "generation"});
  return generation.is_number_integer() ? generation.get<std::int64_t>() : 0;
}

// Returns whether Cluster API has marked the Machine for an update and waits for the hook.
bool IsUpdating(const json::Value& machine) {
  const json::Value& annotations = json::At(machine, {"metadata", "annotations"});
  const std::vector<std::string> hooks =
      base::Split(json::TextAt(annotations, {kPendingAnnotation}), ',');
  return annotations.is_object() && annotations.contains(kUpdatingAnnotation) &&
         std::ranges::contains(hooks, "UpdateMachine");
}

std::string KubeletVersionOf(const json::Value& node) {
  return json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"});
}

bool IsOlder(const std::string& version, const std::string& than) {
  const auto have = base::Version::ParseGeneric(version);
  const auto wanted = base::Version::ParseGeneric(than);
  return !have || !wanted || *have < *wanted;
}

}  // namespace

UpdatedMachine CollectMachine(kube::Client& management, std::string_view name_space,
                              std::string_view name) {
  const json::Value object = management.Get({kMachine, name_space, name});
  UpdatedMachine machine{.name_space = std::string(name_space),
                         .name = std::string(name),
                         .uid = json::TextAt(object, {"metadata", "uid"}),
                         .cluster = json::TextAt(object, {"spec", "clusterName"}),
                         .version = json::TextAt(object, {"spec", "version"}),
                         .node = json::TextAt(object, {"status", "nodeRef", "name"}),
                         .updating = IsUpdating(object),
                         .generation = GenerationOf(object),
                         .config = {}};
  const json::Value& labels = json::At(object, {"metadata", "labels"});
  machine.control_plane = labels.is_object() && labels.contains(kControlPlaneLabel);
  if (machine.uid.empty() || machine.node.empty()) {
    throw Error(Error::Kind::kInvalid, "the Machine has no node yet (status.nodeRef is not set)");
  }
  const json::Value& reference = json::At(object, {"spec", "bootstrap", "configRef"});
  if (json::TextAt(reference, {"kind"}) != kKubeadmConfig.kind) {
    throw Error(Error::Kind::kInvalid,
                "spec.bootstrap.configRef of the Machine is not a KubeadmConfig");
  }
  const json::Value config =
      management.Get({kKubeadmConfig, name_space, json::TextAt(reference, {"name"})});
  machine.config_generation = GenerationOf(config);
  machine.config = json::At(config, {"spec"});
  return machine;
}

std::string CollectKubeconfig(kube::Client& management, std::string_view name_space,
                              std::string_view cluster) {
  const std::string name = fmt::format("{}-kubeconfig", cluster);
  const json::Value secret = management.Get({kube::resources::kSecret, name_space, name});
  const std::string value = json::TextAt(secret, {"data", "value"});
  if (value.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("Secret {}/{} lacks the entry \"value\"", name_space, name));
  }
  return base::Base64Decode(value);
}

std::string CollectClusterVersion(kube::Client& workload) {
  const json::Value stored =
      workload.Get({kube::resources::kConfigMap, "kube-system", "kubeadm-config"});
  const std::string text = json::TextAt(stored, {"data", "ClusterConfiguration"});
  const std::string version = json::TextAt(yaml::Parse(text).value, {"kubernetesVersion"});
  if (!base::Version::Parse(version)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("kubernetesVersion in ConfigMap kube-system/kubeadm-config is {}",
                            base::Quoted(version)));
  }
  return version;
}

UpdatedNode CollectNode(kube::Client& workload, std::string_view node) {
  const json::Value object = workload.Get({kube::resources::kNode, "", node});
  UpdatedNode facts{.hostname = json::TextAt(object, {"metadata", "labels", kHostnameLabel}),
                    .kubelet_version = KubeletVersionOf(object),
                    .cluster_version = CollectClusterVersion(workload),
                    .old_control_planes = {}};
  if (facts.hostname.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("Node {} lacks the label {}", node, kHostnameLabel));
  }
  for (const json::Value& each :
       workload.List(kube::resources::kNode, "", {.labels = kControlPlaneNodes})) {
    const std::string version = KubeletVersionOf(each);
    if (IsOlder(version, facts.cluster_version)) {
      facts.old_control_planes.push_back(
          fmt::format("{} ({})", json::TextAt(each, {"metadata", "name"}), version));
    }
  }
  return facts;
}

}  // namespace machine_update
