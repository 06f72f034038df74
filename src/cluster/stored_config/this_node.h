// SPDX-License-Identifier: Apache-2.0
// The name and role of this node, and the configuration of its cluster for it.
#pragma once

#include <optional>
#include <string>

#include "config/facts.h"
#include "config/load.h"
#include "host/files.h"
#include "kube/client.h"
#include "stored_config/fetch.h"

namespace stored_config {

// Returns this machine's node name: the name in the client certificate of
// /etc/kubernetes/kubelet.conf. Without a node's certificate, asks the API server for the user of
// that file. If the API server names no node, returns the node name for `hostname`. Throws
// base::Error(kNotFound) without kubelet.conf.
std::string NodeName(const host::Files& files, const std::string& hostname);

// Returns this node's role, by the manifest of the API server.
enum class Role { kControlPlane, kWorker };
Role RoleOf(const host::Files& files);

// Returns the address of this node's API server from its manifest. The manifest's annotation, which
// the mirror Pod copies, takes precedence over its arguments. Returns std::nullopt if the manifest
// has neither.
std::optional<config::ApiEndpoint> EndpointOnDisk(const host::Files& files);

// Reads this node's data from the cluster: the taints and the runtime's socket (annotation
// kubeadm.alpha.kubernetes.io/cri-socket of older releases). For a control-plane node, adds the API
// server's address: `on_disk`, or if that is not set, the annotation of the node's own Pod
// (objects::IsPodOf). Throws the errors of kube::Client.
config::InitConfiguration FetchNode(kube::Client& client, const std::string& name, Role role,
                                    const std::optional<config::ApiEndpoint>& on_disk = {});

// The stored configuration of a cluster.
struct FetchedConfig {
  config::Init config;          // complete, for the target version
  config::StoredConfig stored;  // as stored
  std::string version;          // in the stored configuration: "v1.36.3"
};

struct FetchOptions {
  const config::Facts& facts;
  std::string node = {};  // this node's name; "": the result of NodeName
  Role role = Role::kControlPlane;
  // The behaviour if neither the cluster nor the kubelet's files name the runtime's socket.
  config::CriSocketChoice cri_socket = config::CriSocketChoice::kDetect;
  // The target version of the cluster; "" for its present one.
  std::string kubernetes_version = {};
  ComponentConfigs components = ComponentConfigs::kFetch;
};

// Reads the ConfigMaps and the node's data. Throws base::Error, naming the part that is missing or
// unusable: kNotFound, kInvalid, kUnavailable.
FetchedConfig FetchConfig(kube::Client& client, const host::Files& files,
                          const FetchOptions& options);

}  // namespace stored_config
