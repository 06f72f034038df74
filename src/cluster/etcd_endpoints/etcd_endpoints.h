// SPDX-License-Identifier: Apache-2.0
// Where the members of a stacked etcd cluster listen, as their static Pods tell (reference:
// manifests.md §6).
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace etcd_endpoints {

// EtcdEndpointsIn reads annotation kubeadm.kubernetes.io/etcd.advertise-client-urls of each Pod:
// client URLs in the order of the Pods, each once. Throws base::Error(kNotFound) naming the Pods
// that lack it.
std::vector<std::string> EtcdEndpointsIn(const std::vector<json::Value>& pods);

// EtcdEndpoints asks the cluster for them: Pods of kube-system labelled component=etcd and
// tier=control-plane. A Pod that has just been written may miss for a moment: it is asked again
// within the client's retry limit when a Pod lacks its annotation or the API does not answer. An
// empty list means that no etcd runs as a Pod here.
std::vector<std::string> EtcdEndpoints(kube::Client& client);

}  // namespace etcd_endpoints
