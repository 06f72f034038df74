// SPDX-License-Identifier: Apache-2.0
// Mirror Pods: the objects by which a kubelet shows the cluster the static Pods of its node.
//
// A kubelet may create a Pod of any name and label, as long as it is a mirror Pod on the kubelet's
// own node and owned by its own Node. It may not give its Node the control-plane label (admission
// plugin NodeRestriction, kubernetes.io/docs/reference/access-authn-authz/admission-controllers).
// A name or a label alone therefore says nothing about who runs a Pod.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "components/table.h"
#include "json/value.h"
#include "kube/client.h"

namespace node_objects {

// kMirrorAnnotation is on every mirror Pod. The API server lets no client add it to a Pod later.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

// IsMirrorPodOf: `pod` is the mirror Pod of the component's static Pod on `node`. It has the name
// of one, is on that node, and was created by that node's kubelet.
bool IsMirrorPodOf(const json::Value& pod, components::Component component,
                   const std::string& node);

// IsPodOf: `pod` has the name and the node of the component's Pod there, and is not a mirror Pod of
// another node's kubelet. It is weaker than IsMirrorPodOf: kubelets create mirror Pods only, so a
// Pod that is none was created by a user who may run anything on that node. It is for questions
// that neither the disk nor a mirror Pod answers.
bool IsPodOf(const json::Value& pod, components::Component component, const std::string& node);

// IsControlPlane: the Node has the control-plane label.
bool IsControlPlane(const json::Value& node);

// NodeNames are the names of Nodes.
using NodeNames = std::set<std::string, std::less<>>;

// CollectControlPlaneNodes lists the Nodes with the control-plane label. Throws base::Error.
NodeNames CollectControlPlaneNodes(kube::Client& client);

// ControlPlanePod is a component's mirror Pod on a control-plane node.
struct ControlPlanePod {
  std::string node;
  json::Value pod;
};

// NodeOfControlPlanePod is the Pod's node where the Pod is the component's mirror Pod on one of
// `nodes`; std::nullopt for every other Pod.
std::optional<std::string> NodeOfControlPlanePod(const json::Value& pod,
                                                 components::Component component,
                                                 const NodeNames& nodes);

// CollectControlPlanePods lists the component's mirror Pods on `nodes`. Throws base::Error.
std::vector<ControlPlanePod> CollectControlPlanePods(kube::Client& client,
                                                     components::Component component,
                                                     const NodeNames& nodes);

}  // namespace node_objects
