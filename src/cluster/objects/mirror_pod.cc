// SPDX-License-Identifier: Apache-2.0
#include "objects/mirror_pod.h"

#include <utility>

#include "kube/objects.h"
#include "objects/mark.h"

namespace objects {

namespace {

bool IsNamed(const json::Value& pod, components::Component component, const std::string& node) {
  return !node.empty() && json::TextAt(pod, {"spec", "nodeName"}) == node &&
         json::TextAt(pod, {"metadata", "namespace"}) == kube::kSystemNamespace &&
         json::TextAt(pod, {"metadata", "name"}) == components::PodName(component, node);
}

bool IsMirror(const json::Value& pod) {
  const json::Value& annotations = json::At(pod, {"metadata", "annotations"});
  return annotations.is_object() && annotations.contains(std::string(kMirrorAnnotation));
}

}  // namespace

bool IsMirrorPodOf(const json::Value& pod, components::Component component,
                   const std::string& node) {
  return IsNamed(pod, component, node) && IsMirror(pod) &&
         kube::IsOwnedBy(pod, kube::resources::kNode.kind, node);
}

bool IsPodOf(const json::Value& pod, components::Component component, const std::string& node) {
  return IsMirror(pod) ? IsMirrorPodOf(pod, component, node) : IsNamed(pod, component, node);
}

bool IsControlPlane(const json::Value& node) {
  const json::Value& labels = json::At(node, {"metadata", "labels"});
  return labels.is_object() && labels.contains(std::string(kControlPlaneLabel));
}

NodeNames CollectControlPlaneNodes(kube::Client& client) {
  NodeNames names;
  for (const json::Value& node :
       client.List(kube::resources::kNode, "", {.labels = kControlPlaneLabel})) {
    names.insert(json::TextAt(node, {"metadata", "name"}));
  }
  return names;
}

std::optional<std::string> NodeOfControlPlanePod(const json::Value& pod,
                                                 components::Component component,
                                                 const NodeNames& nodes) {
  std::string node = json::TextAt(pod, {"spec", "nodeName"});
  return nodes.contains(node) && IsMirrorPodOf(pod, component, node)
             ? std::optional(std::move(node))
             : std::nullopt;
}

std::vector<ControlPlanePod> CollectControlPlanePods(kube::Client& client,
                                                     components::Component component,
                                                     const NodeNames& nodes) {
  std::vector<ControlPlanePod> pods;
  for (json::Value& pod : client.List(kube::resources::kPod, kube::kSystemNamespace,
                                      {.labels = components::PodLabels(component)})) {
    if (auto node = NodeOfControlPlanePod(pod, component, nodes)) {
      pods.push_back({.node = *std::move(node), .pod = std::move(pod)});
    }
  }
  return pods;
}

}  // namespace objects
