// SPDX-License-Identifier: Apache-2.0
// The endpoints of a stacked etcd cluster's members, from their static Pods (reference:
// manifests.md §6).
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace objects {

// Returns the client URLs of etcd's Pods from annotation
// kubeadm.kubernetes.io/etcd.advertise-client-urls. Returns each URL once, in the order of the
// Pods. Throws base::Error(kNotFound), naming the Pods without the annotation.
std::vector<std::string> EtcdEndpointsIn(const std::vector<json::Value>& pods);

// Returns the client URLs from etcd's mirror Pods on control-plane nodes. Ignores other Pods with
// the same name or label. Returns an empty list if the cluster has no mirror Pod of etcd.
//
// Retries within the client's limit if a Pod lacks its annotation or the API server does not
// answer. After the limit, throws base::Error(kUnavailable), naming the Pods without the
// annotation, or the last error of kube::Client.
std::vector<std::string> EtcdEndpoints(kube::Client& client);

}  // namespace objects
