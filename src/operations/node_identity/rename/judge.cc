// SPDX-License-Identifier: Apache-2.0
#include "node_identity/rename/judge.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "kube/client.h"
#include "objects/mirror_pod.h"

namespace node_rename {
namespace {

using checks::Findings;
using checks::Refuse;
using json::Value;

constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kMachine = "cluster.x-k8s.io/machine";
// The prefix of taints that the cluster's controllers derive from conditions and from the cordon.
constexpr std::string_view kTaintsByItself = "node.kubernetes.io/";
// The annotation in which the kubelet stores the CSI drivers' values for the node.
constexpr const char* kDrivers = "csi.volume.kubernetes.io/nodeid";
constexpr std::size_t kLongestLabel = 63;

const Value& Elements(const Value& parent, std::initializer_list<std::string_view> path) {
  static const Value kNone = Value::array();
  const Value& list = json::At(parent, path);
  return list.is_array() ? list : kNone;
}

// Returns "NAMESPACE/NAME"; for a cluster-scoped object, only its name.
std::string NameOf(const Value& object) {
  const std::string name_space = json::TextAt(object, {"metadata", "namespace"});
  const std::string name = json::TextAt(object, {"metadata", "name"});
  return name_space.empty() ? name : fmt::format("{}/{}", name_space, name);
}

// Returns whether the Pod is recreated automatically: by its DaemonSet, or from its manifest.
bool ComesBack(const Value& pod) {
  return !json::At(pod, {"metadata", "annotations", objects::kMirrorAnnotation}).is_null() ||
         std::ranges::any_of(
             Elements(pod, {"metadata", "ownerReferences"}),
             [](const Value& owner) { return json::TextAt(owner, {"kind"}) == "DaemonSet"; });
}

std::vector<std::string> PodsThatStay(const RenameFacts& facts) {
  std::vector<std::string> names;
  for (const Value& pod : facts.pods) {
    if (json::TextAt(pod, {"spec", "nodeName"}) == facts.from && !ComesBack(pod)) {
      names.push_back(NameOf(pod));
    }
  }
  return names;
}

bool IsOneOf(const Value& value, const std::vector<std::string>& names) {
  return value.is_string() && std::ranges::contains(names, value.get<std::string>());
}

bool TermNames(const Value& term, const std::vector<std::string>& names) {
  for (const char* member : {"matchExpressions", "matchFields"}) {
    for (const Value& requirement : Elements(term, {member})) {
      if (std::ranges::any_of(Elements(requirement, {"values"}),
                              [&](const Value& value) { return IsOneOf(value, names); })) {
        return true;
      }
    }
  }
  return false;
}

// Returns the volumes of this node. A volume refers to its node by the node's name, by the hostname
// label, or by a driver's label.
std::vector<std::string> VolumesHere(const RenameFacts& facts) {
  std::vector<std::string> names{facts.from};
  if (std::string label = json::TextAt(facts.node, {"metadata", "labels", kHostname});
      !label.empty()) {
    names.push_back(std::move(label));
  }
  std::vector<std::string> found;
  for (const Value& volume : facts.volumes) {
    if (std::ranges::any_of(
            Elements(volume, {"spec", "nodeAffinity", "required", "nodeSelectorTerms"}),
            [&](const Value& term) { return TermNames(term, names); })) {
      found.push_back(NameOf(volume));
    }
  }
  return found;
}

std::vector<std::string> AttachedHere(const RenameFacts& facts) {
  std::vector<std::string> found;
  for (const Value& each : facts.attachments) {
    if (json::TextAt(each, {"spec", "nodeName"}) == facts.from) {
      found.push_back(NameOf(each));
    }
  }
  return found;
}

void JudgeName(const RenameFacts& facts, Findings& findings) {
  const std::string& to = facts.to;
  if (!base::IsDns1123Subdomain(to)) {
    findings.push_back(Refuse(fmt::format(
        "{} is not a name for a Node: lower case letters, digits, '-' and '.'", base::Quoted(to))));
  } else if (to.size() > kLongestLabel) {
    findings.push_back(Refuse(fmt::format(
        "{} has more than {} characters, which a label cannot hold", to, kLongestLabel)));
  } else if (to == facts.from) {
    findings.push_back(Refuse("it is the node's name already"));
  } else if (facts.taken) {
    findings.push_back(Refuse(fmt::format(
        "there is a Node called {}: take another name, or 'kubectl delete node {}' if its machine "
        "is gone",
        to, to)));
  }
}

void JudgeNode(const RenameFacts& facts, Findings& findings) {
  const Value& node = facts.node;
  if (node.is_null()) {
    findings.push_back(Refuse(fmt::format(
        "the cluster has no Node called {}, whose labels and taints the new one would get: "
        "'kubeadm reset', and join with --node-name {}",
        facts.from, facts.to)));
    return;
  }
  const std::string machine = json::TextAt(node, {"metadata", "annotations", kMachine});
  if (!machine.empty()) {
    findings.push_back(Refuse(fmt::format(
        "it is Machine {} of Cluster API, which knows the machine by its name and would replace "
        "it: let Cluster API create a Machine with the new name instead",
        machine)));
  }
  for (const Value& finalizer : Elements(node, {"metadata", "finalizers"})) {
    findings.push_back(Refuse(
        fmt::format("the Node has the finalizer {}: its owner decides about the node, not kubeadm",
                    finalizer.is_string() ? finalizer.get<std::string>() : finalizer.dump())));
  }
  if (json::At(node, {"spec", "unschedulable"}) != Value(true)) {
    findings.push_back(Refuse(
        fmt::format("the node takes new Pods: 'kubectl cordon {}', which 'kubectl drain' also does",
                    facts.from)));
  }
}

void JudgeData(const RenameFacts& facts, Findings& findings) {
  if (const auto pods = PodsThatStay(facts); !pods.empty()) {
    findings.push_back(
        Refuse(fmt::format("Pods are bound to the name and would be lost with it: {}; move them by "
                           "'kubectl drain {} --ignore-daemonsets'",
                           base::Join(pods, ", "), facts.from)));
  }
  if (const auto volumes = VolumesHere(facts); !volumes.empty()) {
    findings.push_back(Refuse(
        fmt::format("the data of PersistentVolumes are on this node and bound to its name, "
                    "which a volume cannot change: {}; copy them to other volumes, and delete "
                    "these",
                    base::Join(volumes, ", "))));
  }
  if (const auto attached = AttachedHere(facts); !attached.empty()) {
    findings.push_back(Refuse(
        fmt::format("volumes are attached under the name, and could not be detached any more: "
                    "VolumeAttachments {}; draining the node detaches them",
                    base::Join(attached, ", "))));
  }
}

bool IsOfControllers(const std::string& key) { return key.starts_with(kTaintsByItself); }

}  // namespace

Findings JudgeControlPlane(const std::string& from, const std::string& to) {
  return {Refuse(fmt::format(
      "{} is a control-plane node: its etcd member, its static Pods and its server certificates "
      "have its name, and etcd does not rename members: join another control plane as {}, and "
      "'kubeadm reset' this one",
      from, to))};
}

Findings Judge(const RenameFacts& facts) {
  if (facts.control_plane) {
    return JudgeControlPlane(facts.from, facts.to);
  }
  Findings findings;
  JudgeName(facts, findings);
  for (const std::string& file : facts.naming_files) {
    findings.push_back(Refuse(
        fmt::format("{} gives the kubelet --hostname-override, and it is not a file of kubeadm's: "
                    "remove it there",
                    file)));
  }
  JudgeNode(facts, findings);
  JudgeData(facts, findings);
  if (!json::TextAt(facts.node, {"spec", "providerID"}).empty()) {
    findings.push_back(checks::Warn(
        "a cloud provider knows this machine (spec.providerID): the provider must find the machine "
        "under the new name as well, or it removes the Node"));
  }
  return findings;
}

Value NewNode(const Value& old, const std::string& to) {
  const std::string from = json::TextAt(old, {"metadata", "name"});
  Value node{{"apiVersion", "v1"},
             {"kind", kube::resources::kNode.kind},
             {"metadata", {{"name", to}}},
             {"spec", Value::object()}};
  Value labels = json::At(old, {"metadata", "labels"});
  for (Value& value : labels) {
    if (value == Value(from)) {
      value = to;  // topology labels of drivers contain the name, too
    }
  }
  if (labels.is_object()) {
    labels[kHostname] = to;
    node["metadata"]["labels"] = std::move(labels);
  }
  if (Value annotations = json::At(old, {"metadata", "annotations"}); annotations.is_object()) {
    annotations.erase(kDrivers);
    node["metadata"]["annotations"] = std::move(annotations);
  }
  for (const char* member : {"podCIDR", "podCIDRs", "providerID", "unschedulable"}) {
    if (const Value& value = json::At(old, {"spec", member}); !value.is_null()) {
      node["spec"][member] = value;
    }
  }
  for (const Value& taint : Elements(old, {"spec", "taints"})) {
    if (!IsOfControllers(json::TextAt(taint, {"key"}))) {
      node["spec"]["taints"].push_back(taint);
    }
  }
  return node;
}

}  // namespace node_rename
