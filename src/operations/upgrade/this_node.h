// SPDX-License-Identifier: Apache-2.0
// The cluster's configuration as it is for the node that is upgraded (reference: upgrade-reset.md
// §3).
#pragma once

#include <optional>
#include <string>

#include "config/facts.h"
#include "config/load.h"
#include "host/files.h"
#include "kube/client.h"
#include "stored_config/fetch.h"

namespace upgrade {

// NodeName is this machine's name in the cluster: the one in the client certificate of
// /etc/kubernetes/kubelet.conf, else whom the API server takes the bearer of that file for, else
// `hostname`. Throws base::Error(kNotFound) when there is no kubelet.conf.
std::string NodeName(const host::Files& files, const std::string& hostname);

// RoleOf tells by the manifest of the API server what this node is.
enum class Role { kControlPlane, kWorker };
Role RoleOf(const host::Files& files);

// EndpointOnDisk is where this node's API server listens, by its manifest: the annotation, of which
// the mirror Pod's is a copy, else the arguments. std::nullopt where the manifest does not say.
std::optional<config::ApiEndpoint> EndpointOnDisk(const host::Files& files);

// FetchNode reads what a cluster knows of this node: the runtime's socket (annotation
// kubeadm.alpha.kubernetes.io/cri-socket of older releases) and the taints. For the control plane
// it adds where the API server listens: `on_disk`, and only without that the annotation of the
// node's own Pod (node_objects::IsPodOf). Throws base::Error with the API's kind.
config::InitConfiguration FetchNode(kube::Client& client, const std::string& name, Role role,
                                    const std::optional<config::ApiEndpoint>& on_disk = {});

// FetchedConfig is all that a cluster keeps of its configuration.
struct FetchedConfig {
  config::Init config;          // complete, for the version that the cluster is brought to
  config::StoredConfig stored;  // as it was found
  std::string version;          // that it names: "v1.36.3"
};

struct FetchOptions {
  const config::Facts& facts;
  std::string node = {};  // this node's name; "": as NodeName finds it
  Role role = Role::kControlPlane;
  // What to do when neither the cluster nor the kubelet's files name the runtime's socket.
  config::CriSocketChoice cri_socket = config::CriSocketChoice::kDetect;
  // The version that the cluster is brought to; "" for the one that it has.
  std::string kubernetes_version = {};
  stored_config::ComponentConfigs components = stored_config::ComponentConfigs::kFetch;
};

// FetchConfig reads the ConfigMaps and the node. Throws base::Error naming what is missing.
FetchedConfig FetchConfig(kube::Client& client, const host::Files& files,
                          const FetchOptions& options);

}  // namespace upgrade
