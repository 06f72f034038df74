// SPDX-License-Identifier: Apache-2.0
// Searches for a node's old address. Read-only.
#pragma once

#include <string>
#include <vector>

#include "host/host.h"
#include "kube/client.h"
#include "node_identity/readdress/plan.h"

namespace readdress {

// Reads the manifests and the kubelet's files. Throws base::Error(kInvalid) if a file is malformed,
// and base::Error(kNotFound) if this host is not a node.
NodeFacts CollectNode(const host::Host& host);

// Reads all files that may contain the address: files in /etc/kubernetes; files in /var/lib/kubelet
// except Pods, plugins and devices; the files with the kubelet's extra arguments; and /etc/hosts.
// Skips files larger than 1 MiB, and lists them.
std::vector<SearchedFile> SearchFiles(const host::Files& files);

// Lists the objects that may contain an address: ConfigMaps, Secrets (decoded), Services,
// Endpoints, EndpointSlices, Nodes, and the Pods of kube-system.
std::vector<json::Value> SearchObjects(kube::Client& client);

// Returns whether an interface of this machine has the address.
bool HasAddress(const host::Host& host, const net::IpAddress& address);

}  // namespace readdress
