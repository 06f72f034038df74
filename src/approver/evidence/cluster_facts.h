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

// Reads the reserved names and addresses, which no node may have. From ServiceCIDR objects: their
// networks. From ConfigMap kube-system/kubeadm-config: the networks of Services and Pods,
// controlPlaneEndpoint and the API servers' certSANs. From EndpointSlice default/kubernetes: the
// API servers' advertised addresses. From `server_urls`, the approver's own connections: their
// hosts. Nodes cannot write any of these objects. The ConfigMap and the EndpointSlice must exist,
// and the ConfigMap must have a network of Services.
judgement::Known<judgement::Reserved> ReadReserved(kube::Transport& transport,
                                                   const std::vector<std::string>& server_urls,
                                                   const std::stop_token& stop);

// Reads the networks in which no kubelet is dialled. These are the networks of Services, from
// ServiceCIDR objects and networks.config.openshift.io/cluster. An object that the cluster does not
// serve, or that the account may not read, adds no network. The account may have only the
// permissions of upstream's approver.
DialRules ReadDialRules(kube::Transport& transport, const std::vector<std::string>& server_urls,
                        const std::stop_token& stop);

// Selects a node's addresses from a list of EgressIP objects.
std::vector<std::string> EgressIpsOf(const json::Value& list, const std::string& node);

}  // namespace evidence
