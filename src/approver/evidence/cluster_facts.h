// SPDX-License-Identifier: Apache-2.0
// Facts of the cluster that are looked up for single verdicts: the network and its egress
// addresses.
#pragma once

#include <string>
#include <vector>

#include "evidence/dial_rules.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace evidence {

// Reads the network's type from networks.config.openshift.io/cluster.
judgement::Known<std::string> ReadNetwork(kube::Transport& transport, const std::stop_token& stop);

// Reads the node's HostSubnet (OpenShift SDN).
judgement::Known<judgement::Egress> ReadHostSubnet(kube::Transport& transport,
                                                   const std::string& node,
                                                   const std::stop_token& stop);

// Reads the node's addresses from EgressIP objects (OVN-Kubernetes).
judgement::Known<judgement::Egress> ReadEgressIps(kube::Transport& transport,
                                                  const std::string& node,
                                                  const std::stop_token& stop);

// Reads the names and addresses that no node may have. These are the networks of ServiceCIDR
// objects; from ConfigMap kube-system/kubeadm-config those of Services and Pods,
// controlPlaneEndpoint and the API servers' certSANs; the API servers' advertised addresses
// (EndpointSlice default/kubernetes); and the hosts of `server_urls`, our own connections. Nodes
// cannot write any of these objects. The ConfigMap and the EndpointSlice must exist, and the
// ConfigMap must have a network of Services.
judgement::Known<judgement::Reserved> ReadReserved(kube::Transport& transport,
                                                   const std::vector<std::string>& server_urls,
                                                   const std::stop_token& stop);

// Reads the networks in which no kubelet is dialled: those of Services, from ServiceCIDR objects
// and networks.config.openshift.io/cluster. Objects that the cluster does not serve, or that the
// account may not read (it may have the rights of upstream's approver), add no network.
DialRules ReadDialRules(kube::Transport& transport, const std::vector<std::string>& server_urls,
                        const std::stop_token& stop);

// Selects a node's addresses from a list of EgressIP objects.
std::vector<std::string> EgressIpsOf(const json::Value& list, const std::string& node);

}  // namespace evidence
