// SPDX-License-Identifier: Apache-2.0
// Facts of the cluster that are looked up for a single verdict. They are the type of its network,
// egress addresses, reserved names and addresses, and the networks of Services.
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

// Reads the names and addresses that the cluster reserves for itself. ServiceCIDR objects have the
// networks of Services. ConfigMap kube-system/kubeadm-config has the networks of Services and Pods,
// controlPlaneEndpoint and the API servers' certSANs. EndpointSlice default/kubernetes has the API
// servers' advertised addresses. The hosts of `server_urls`, the approver's own connections, are
// also reserved. Nodes cannot write any of these objects. Returns an error if the ConfigMap, its
// network of Services, or the EndpointSlice is missing.
judgement::Known<judgement::Reserved> ReadReserved(kube::Transport& transport,
                                                   const std::vector<std::string>& server_urls,
                                                   const std::stop_token& stop);

// Reads the networks of Services, in which no kubelet is dialled, from ServiceCIDR objects and
// networks.config.openshift.io/cluster. An object that the cluster does not serve, or that the
// account may not read, adds no network. The reason is that the account may have only the
// permissions of upstream's approver. After another error, the rules have a problem.
DialRules ReadDialRules(kube::Transport& transport, const std::vector<std::string>& server_urls,
                        const std::stop_token& stop);

// Selects a node's addresses from a list of EgressIP objects.
std::vector<std::string> EgressIpsOf(const json::Value& list, const std::string& node);

}  // namespace evidence
