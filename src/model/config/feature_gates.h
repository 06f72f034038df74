// SPDX-License-Identifier: Apache-2.0
// The values of kubeadm's own feature gates, and of the gates that a component's arguments set. The
// release defines which gates kubeadm has (reference: manifests.md §9, config-api.md §8).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "releases/releases.h"

namespace config {

// Returns whether the kubelet reads the socket of its container runtime from instance-config.yaml.
// Returns false if the kubelet gets the socket by an argument. This is the case if the release has
// the gate NodeLocalCRISocket and the gate is off.
bool SocketIsLocal(const ClusterConfiguration& cluster);

// Returns whether the kubelet of a control-plane node connects to the API server of its own node.
// Returns false if it connects to the control-plane endpoint. This is the case if the release has a
// gate ControlPlaneKubeletLocalMode that can be off, and the gate is off.
bool KubeletAsksOwnServer(const ClusterConfiguration& cluster);

// Parses "A=true,B=false" (Go's boolean words). `version` is a version or a label such as
// "stable-1.36" and selects the release; a label without a minor version means the newest release.
// Warns of deprecated gates. Throws base::Error(kUsage) for unknown names and invalid values.
std::map<std::string, bool> ParseFeatureGates(std::string_view text, std::string_view version);

// The argument that sets a component's feature gates.
inline constexpr std::string_view kFeatureGatesArgument = "feature-gates";

// A feature gate that a component's arguments set.
struct ComponentGate {
  std::string name;
  bool on;
};

// Parses the values ("A=true,B=0", "kube:A=true") of all feature-gates arguments of one component,
// in their order. A later value of a gate replaces an earlier one, also across repeated arguments.
// Leaves out entries without "=", and reads an invalid boolean as false; the component itself would
// not start with such entries. Source: k8s.io/component-base/featuregate; checked with
// kube-apiserver, kube-controller-manager and kube-scheduler v1.38.0-beta.0.
std::vector<ComponentGate> ParseComponentGates(std::span<const std::string> values);

// Returns an argument's name as the components of Kubernetes read it: '_' is '-'. etcd does not do
// so. Source: k8s.io/component-base/cli/flag, WordSepNormalizeFunc.
std::string NormalizedFlag(std::string name);

// Returns the feature gates that the arguments set.
std::vector<ComponentGate> ComponentGates(const Args& args);

// Returns the value of a gate: the value set for its name, or else the value of AllAlpha or AllBeta
// if the gate is in that stage. Returns std::nullopt if neither is set, so that the component's
// default applies.
std::optional<bool> FindComponentGate(std::span<const ComponentGate> gates, std::string_view name,
                                      releases::GateStage stage);

// Returns one "Name=true|false (STAGE - default=bool)" line for each gate of the newest release.
std::vector<std::string> FeatureGateHelp();

}  // namespace config
