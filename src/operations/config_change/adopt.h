// SPDX-License-Identifier: Apache-2.0
// Converts manual edits into configuration that upgrades keep. Pure.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/types.h"
#include "config_change/compare.h"

namespace config_change {

// The directory of this node's patches that were made from edits. Upgrades use them unless another
// directory is given; a reset removes them with the kubelet's other files.
inline constexpr std::string_view kAdoptedPatches = "/var/lib/kubelet/kubeadm-patches";

// A strategic merge patch for a target of the library patches.
struct NewPatch {
  std::string target;  // "kube-apiserver", "kubeletconfiguration"
  json::Value document;
};

// An edit that cannot be kept, and why.
struct Left {
  Difference difference;
  std::string why;
};

// The configuration and patches that keep the edits.
struct Adoption {
  config::ClusterConfiguration cluster;  // with extraArgs, extraEnvs and extraVolumes
  bool changes_cluster = false;          // whether `cluster` has changed
  std::vector<NewPatch> patches;
  std::vector<Difference> kept;
  std::vector<Left> left;
};

// The side that has the valid value if both this node and the cluster's configuration set it.
enum class Side { kNode, kCluster, kUnknown };
using Decide = std::function<Side(const Difference& edit)>;

// Converts the edits of `components` that the next upgrade would lose. Edits with a field in
// ClusterConfiguration are added there, and so apply to every node of the control plane; the rest
// becomes patches.
//
// Values that differ between nodes, images, and removed arguments that kubeadm always sets cannot
// be kept. If the cluster's configuration sets the same value, the cluster's may be newer: `decide`
// then chooses (an empty function means kUnknown). Only kNode replaces the cluster's value.
Adoption Adopt(std::span<const Component> components, const config::ClusterConfiguration& cluster,
               const Decide& decide = {});

// Returns an unused name for the patch's file in a directory with the files `existing`.
std::string PatchFileName(const NewPatch& patch, std::span<const std::string> existing);

}  // namespace config_change
