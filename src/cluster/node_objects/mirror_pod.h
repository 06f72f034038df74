// SPDX-License-Identifier: Apache-2.0
// Mirror Pods: the objects in which a kubelet publishes the static Pods of its node.
//
// A kubelet may create a Pod of any name and label. The Pod must be a mirror Pod on the kubelet's
// own node and owned by its own Node. NodeRestriction keeps its Node from a control-plane label
// (kubernetes.io/docs/reference/access-authn-authz/admission-controllers). A name or a label alone
// therefore does not identify the owner of a Pod.
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

// The annotation of every mirror Pod. The API server lets no client add it to a Pod later.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

// Returns whether `pod` is the mirror Pod of the component's static Pod on `node`: it has its name,
// is on that node, and was created by that node's kubelet.
bool IsMirrorPodOf(const json::Value& pod, components::Component component,
                   const std::string& node);

// Returns whether `pod` has the name and the node of the component's Pod there, and is not a mirror
// Pod of another node's kubelet. It is weaker than IsMirrorPodOf: any other Pod than a mirror Pod
// was created by a user who may run anything on that node. It is for questions that neither the
// disk nor a mirror Pod answers.
bool IsPodOf(const json::Value& pod, components::Component component, const std::string& node);

// Returns whether the Node has the control-plane label.
bool IsControlPlane(const json::Value& node);

// NodeNames are the names of Nodes.
using NodeNames = std::set<std::string, std::less<>>;

// Lists the Nodes with the control-plane label. Throws base::Error with the server's kind.
NodeNames CollectControlPlaneNodes(kube::Client& client);

// A component's mirror Pod on a control-plane node.
struct ControlPlanePod {
  std::string node;
  json::Value pod;
};

// Returns the Pod's node if the Pod is the component's mirror Pod on one of `nodes`; std::nullopt
// for every other Pod.
std::optional<std::string> NodeOfControlPlanePod(const json::Value& pod,
                                                 components::Component component,
                                                 const NodeNames& nodes);

// Lists the component's mirror Pods on `nodes`. Throws base::Error with the server's kind.
std::vector<ControlPlanePod> CollectControlPlanePods(kube::Client& client,
                                                     components::Component component,
                                                     const NodeNames& nodes);

}  // namespace node_objects
