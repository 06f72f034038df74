// SPDX-License-Identifier: Apache-2.0
// Edits made by hand, turned into what an upgrade keeps. Pure.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/types.h"
#include "config_change/compare.h"

namespace config_change {

// kAdoptedPatches is where patches of this node lie that came from edits. Upgrades use them when
// they are told no other directory; a reset removes them with the kubelet's other files.
inline constexpr std::string_view kAdoptedPatches = "/var/lib/kubelet/kubeadm-patches";

// NewPatch is a strategic merge patch for a target of the room patches.
struct NewPatch {
  std::string target;  // "kube-apiserver", "kubeletconfiguration"
  json::Value document;
};

// Left is an edit that cannot be kept, and why.
struct Left {
  Difference difference;
  std::string why;
};

// Adoption is what keeps the edits.
struct Adoption {
  config::ClusterConfiguration cluster;  // with extraArgs, extraEnvs and extraVolumes
  bool changes_cluster = false;          // whether `cluster` is another than before
  std::vector<NewPatch> patches;
  std::vector<Difference> kept;
  std::vector<Left> left;
};

// Side names the one that is right about a value which both this node and the cluster's
// configuration set.
enum class Side { kNode, kCluster, kUnknown };
using Decide = std::function<Side(const Difference& edit)>;

// Adopt takes the edits of `components` that the next upgrade would lose. What a
// ClusterConfiguration can say goes there, and so holds for every node of the control plane; the
// rest becomes patches. What differs from node to node, images, and arguments that kubeadm always
// gives and that were taken out, can be kept by neither. A value that the cluster's configuration
// sets as well may be the newer one: `decide` is asked (empty: kUnknown), and only kNode replaces
// it.
Adoption Adopt(std::span<const Component> components, const config::ClusterConfiguration& cluster,
               const Decide& decide = {});

// PatchFileName is the name for a patch in a directory that has `existing` files.
std::string PatchFileName(const NewPatch& patch, std::span<const std::string> existing);

}  // namespace config_change
