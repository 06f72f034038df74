// SPDX-License-Identifier: Apache-2.0
// The endpoints of a stacked etcd cluster's members, from their static Pods (reference:
// manifests.md §6).
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace etcd_endpoints {

// Reads annotation kubeadm.kubernetes.io/etcd.advertise-client-urls of each Pod: client URLs in the
// order of the Pods, each once. Throws base::Error(kNotFound) naming the Pods that lack it.
std::vector<std::string> EtcdEndpointsIn(const std::vector<json::Value>& pods);

// Reads them from etcd's mirror Pods on control-plane nodes; any other Pod of that name or label is
// ignored. A new Pod may be missing for a moment: retries within the client's limit if a Pod lacks
// its annotation or the API does not answer. Returns an empty list if the cluster has no such Pod.
std::vector<std::string> EtcdEndpoints(kube::Client& client);

}  // namespace etcd_endpoints
