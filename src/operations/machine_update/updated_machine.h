// SPDX-License-Identifier: Apache-2.0
// The facts about a Machine of Cluster API that is updated in place, and about its node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "kube/client.h"

namespace machine_update {

// The version of Cluster API's objects that this library reads and writes.
inline constexpr kube::Resource kMachine{"cluster.x-k8s.io", "v1beta2", "machines", "Machine"};
inline constexpr kube::Resource kKubeadmConfig{"bootstrap.cluster.x-k8s.io", "v1beta2",
                                               "kubeadmconfigs", "KubeadmConfig"};
// The label of the Machines of control planes.
inline constexpr std::string_view kControlPlaneLabel = "cluster.x-k8s.io/control-plane";

// A Machine and its KubeadmConfig, as they are stored in the management cluster.
struct UpdatedMachine {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string cluster;  // name of the Cluster
  std::string version;  // "v1.37.2"
  std::string node;     // name of the Node
  bool control_plane = false;
  // If true, Cluster API waits for an update of this Machine in place.
  bool updating = false;
  std::int64_t generation = 0;         // of the Machine
  std::int64_t config_generation = 0;  // of the KubeadmConfig
  json::Value config;                  // the KubeadmConfig's spec
};

// Reads a Machine and its KubeadmConfig. Throws base::Error(kInvalid) if the Machine has no node
// yet, or if its bootstrap configuration is not a KubeadmConfig. Throws the errors of kube::Client.
UpdatedMachine CollectMachine(kube::Client& management, std::string_view name_space,
                              std::string_view name);

// Reads the kubeconfig that Cluster API has stored for a cluster: entry `value` of the Secret
// CLUSTER-kubeconfig. Throws base::Error(kInvalid) without that entry, and the errors of
// kube::Client.
std::string CollectKubeconfig(kube::Client& management, std::string_view name_space,
                              std::string_view cluster);

// The state of a node and of its cluster before an update.
struct UpdatedNode {
  std::string hostname;         // its label kubernetes.io/hostname
  std::string kubelet_version;  // "v1.36.3"
  std::string cluster_version;  // in the cluster's stored configuration, "v1.37.2"
  // "NAME (v1.36.3)" for each control-plane node whose kubelet has not the cluster's version.
  std::vector<std::string> old_control_planes;
};

// Reads the version in the stored configuration of a workload cluster. Throws base::Error(kInvalid)
// if the configuration is malformed, and the errors of kube::Client.
std::string CollectClusterVersion(kube::Client& workload);

// Reads the facts about a node in a workload cluster. Throws the errors of CollectClusterVersion.
UpdatedNode CollectNode(kube::Client& workload, std::string_view node);

}  // namespace machine_update
