// SPDX-License-Identifier: Apache-2.0
// What is searched for a node's old address. Only reads.
#pragma once

#include <string>
#include <vector>

#include "host/host.h"
#include "kube/client.h"
#include "readdress/plan.h"

namespace readdress {

inline constexpr kube::Resource kEndpointSlice{"discovery.k8s.io", "v1", "endpointslices",
                                               "EndpointSlice"};

// LookAtNode reads manifests and the kubelet's files. Throws base::Error(kInvalid) for a file that
// cannot be read, kNotFound on a machine that is not a node.
Node LookAtNode(const host::Host& host);

// SearchFiles reads all files of /etc/kubernetes, those of /var/lib/kubelet that are not of Pods,
// plugins and devices, the files in which users give the kubelet arguments, and /etc/hosts. What it
// does not read it names: what is larger than a MiB is not a configuration.
std::vector<SeenFile> SearchFiles(const host::Files& files);

// SearchObjects reads what may name an address: ConfigMaps, Secrets (decoded), Services, Endpoints,
// EndpointSlices, Nodes, and the Pods of kube-system.
std::vector<json::Value> SearchObjects(kube::Client& client);

}  // namespace readdress
