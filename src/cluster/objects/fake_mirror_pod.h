// SPDX-License-Identifier: Apache-2.0
// Objects of a control-plane node for tests: its Node and its mirror Pods.
#pragma once

#include <string>
#include <string_view>

#include "components/table.h"
#include "json/value.h"
#include "objects/mark.h"
#include "objects/mirror_pod.h"

namespace objects {

inline json::Value FakeNode(const std::string& name) { return {{"metadata", {{"name", name}}}}; }

inline json::Value FakeControlPlaneNode(const std::string& name) {
  json::Value node = FakeNode(name);
  node["metadata"]["labels"][std::string(kControlPlaneLabel)] = "";
  return node;
}

// Returns the Pod that a kubelet creates for a static Pod.
inline json::Value FakeMirrorPod(components::Component component, const std::string& node,
                                 const std::string& image = "registry.k8s.io/x:v1.36.3") {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", components::PodName(component, node)},
            {"namespace", "kube-system"},
            {"labels", {{"component", components::Name(component)}, {"tier", "control-plane"}}},
            {"annotations", {{kMirrorAnnotation, "hash"}}},
            {"ownerReferences", json::Value::array({{{"apiVersion", "v1"},
                                                     {"kind", "Node"},
                                                     {"name", node},
                                                     {"uid", "uid-of-" + node},
                                                     {"controller", true}}})}}},
          {"spec",
           {{"nodeName", node},
            {"containers",
             json::Value::array({{{"name", components::Name(component)}, {"image", image}}})}}}};
}

inline json::Value WithAnnotation(json::Value object, std::string_view name,
                                  const std::string& value) {
  object["metadata"]["annotations"][std::string(name)] = value;
  return object;
}

}  // namespace objects
