// SPDX-License-Identifier: Apache-2.0
// Configuration of features beyond kubeadm.k8s.io, in a separate document, which other kubeadms
// ignore with a warning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/documents.h"
#include "config/types.h"

namespace config {

inline constexpr std::string_view kExtensionApiVersion = "config.slipway/v1alpha1";
inline constexpr std::string_view kExtensionKind = "ExtensionConfiguration";

// The settings of kubelet serving certificates. Kubelets serve with certificates of the cluster's
// CA. An approver in the cluster approves these certificates (docs/approver.md).
struct KubeletServingCerts {
  bool enabled = false;
  // The approver's image. If it is "", the approver runs a program of the control-plane nodes.
  std::string image;
  // The path of this program. If it is "", the program's path on this node is used.
  std::string program;
  // The networks within which nodes may change their addresses; empty: nodes may not change them.
  std::vector<std::string> allowed_cidrs;
  static std::span<const json::Field> Fields();
};

// Nodes join only with bootstrap tokens that are bound to their name (docs/joining.md).
struct NodeBoundTokens {
  bool enabled = false;
  static std::span<const json::Field> Fields();
};

// The operator of ClusterOperations runs in the cluster (docs/fleet.md).
struct Fleet {
  bool enabled = false;
  std::string image;          // image with slipway-operator
  std::string kubeadm_image;  // image with the kubeadm that runs on the nodes
  static std::span<const json::Field> Fields();
};

// The only kind in Slipway's own API group: settings for which upstream has no field.
struct ExtensionConfiguration {
  KubeletServingCerts kubelet_serving_certs;
  NodeBoundTokens node_bound_tokens;
  Fleet fleet;
  static std::span<const json::Field> Fields();
};

// Returns whether a document is of this kind, in any version.
bool IsExtension(const GroupVersionKind& gvk);

// Reads the ExtensionConfiguration of a file. Returns the defaults if the file has none. Throws
// base::Error(kInvalid) for another version, and for fields that are unknown, have a wrong type, or
// contradict each other.
ExtensionConfiguration ReadExtension(const Source& source);

// Sets `serverTLSBootstrap` for all kubelets. Also sets the CA by which API servers verify
// kubelets, unless the user chose one. The cluster stores both, so that they also apply to nodes
// that join afterwards, and after upgrades.
void ServeByClusterCa(ClusterConfiguration& cluster);

// Returns whether the API servers verify kubelets by the cluster's CA, as ServeByClusterCa sets it
// unless the user has given another file.
bool VerifiesKubeletsByClusterCa(const ClusterConfiguration& cluster);

}  // namespace config
