// SPDX-License-Identifier: Apache-2.0
// Mirror Pods: the objects in which a kubelet publishes the static Pods of its node.
//
// The name and label of a Pod do not identify its owner, because a kubelet may create a Pod with
// any name and label. Admission plugin NodeRestriction requires a mirror Pod on the kubelet's own
// node, owned by the kubelet's own Node. The plugin also prevents the kubelet from setting a
// control-plane label on its Node
// (kubernetes.io/docs/reference/access-authn-authz/admission-controllers).
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

namespace objects {

// The annotation of every mirror Pod. The API server lets no client add it to a Pod later.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

// Returns whether `pod` is the mirror Pod of the component's static Pod on `node`. Checks the name,
// the node and the owner of `pod`.
bool IsMirrorPodOf(const json::Value& pod, components::Component component,
                   const std::string& node);

// Returns whether `pod` has the name and the node of the component's Pod on `node`, and is not a
// mirror Pod of another kubelet. This check is weaker than IsMirrorPodOf: any user who may create
// Pods on that node can create such a Pod. Use it only if neither the disk nor a mirror Pod has the
// information.
bool IsPodOf(const json::Value& pod, components::Component component, const std::string& node);

// Returns whether the Node has the control-plane label.
bool IsControlPlane(const json::Value& node);

// Names of Nodes.
using NodeNames = std::set<std::string, std::less<>>;

// Lists the Nodes with the control-plane label. Throws the errors of kube::Client.
NodeNames CollectControlPlaneNodes(kube::Client& client);

// A component's mirror Pod on a control-plane node.
struct ControlPlanePod {
  std::string node;
  json::Value pod;
};

// Returns the node of `pod` if it is the component's mirror Pod on one of `nodes`, otherwise
// std::nullopt.
std::optional<std::string> NodeOfControlPlanePod(const json::Value& pod,
                                                 components::Component component,
                                                 const NodeNames& nodes);

// Lists the component's mirror Pods on `nodes`. Throws the errors of kube::Client.
std::vector<ControlPlanePod> CollectControlPlanePods(kube::Client& client,
                                                     components::Component component,
                                                     const NodeNames& nodes);

}  // namespace objects
