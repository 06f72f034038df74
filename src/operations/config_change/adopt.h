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

// The directory of the patches that were made from manual edits on this node. Upgrades use these
// patches unless another directory is given. A reset removes the directory with the kubelet's other
// files.
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

// Selects the valid value of a field that both this node and the cluster's configuration set.
enum class Side { kNode, kCluster, kUnknown };
using Decide = std::function<Side(const Difference& edit)>;

// Converts those edits of `components` that the next upgrade would lose. An edit that has a field
// in ClusterConfiguration is stored there, and so applies to every control-plane node. Every other
// edit becomes a patch.
//
// Some edits cannot be kept: values that differ between nodes, images, and removed arguments that
// kubeadm always sets. If the cluster's configuration also sets the edited field, its value may be
// newer than the edit. Then `decide` chooses the value; an empty function means kUnknown. Only
// kNode replaces the cluster's value.
Adoption Adopt(std::span<const Component> components, const config::ClusterConfiguration& cluster,
               const Decide& decide = {});

// Returns an unused name for the patch's file in a directory with the files `existing`.
std::string PatchFileName(const NewPatch& patch, std::span<const std::string> existing);

}  // namespace config_change
