// SPDX-License-Identifier: Apache-2.0
// Searches for a node's old address. Read-only.
#pragma once

#include <string>
#include <vector>

#include "host/host.h"
#include "kube/client.h"
#include "readdress/plan.h"

namespace readdress {

inline constexpr kube::Resource kEndpointSlice{"discovery.k8s.io", "v1", "endpointslices",
                                               "EndpointSlice"};

// Reads manifests and the kubelet's files. Throws base::Error(kInvalid) for an unreadable file,
// kNotFound on a machine that is not a node.
Node LookAtNode(const host::Host& host);

// Reads all files of /etc/kubernetes, those of /var/lib/kubelet except those of Pods, plugins and
// devices, the files with users' arguments for the kubelet, and /etc/hosts. Names skipped files:
// one larger than a MiB is not a configuration.
std::vector<SeenFile> SearchFiles(const host::Files& files);

// Reads objects that may contain an address: ConfigMaps, Secrets (decoded), Services, Endpoints,
// EndpointSlices, Nodes, and the Pods of kube-system.
std::vector<json::Value> SearchObjects(kube::Client& client);

}  // namespace readdress
