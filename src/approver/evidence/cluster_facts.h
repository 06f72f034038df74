// SPDX-License-Identifier: Apache-2.0
// What is looked up in the cluster for single verdicts: the network and its egress addresses.
#pragma once

#include <string>
#include <vector>

#include "evidence/dial_rules.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace evidence {

// ReadNetwork reads the network's type of networks.config.openshift.io/cluster.
judgement::Known<std::string> ReadNetwork(kube::Transport& transport, const std::stop_token& stop);

// ReadHostSubnet reads the node's HostSubnet (OpenShift SDN).
judgement::Known<judgement::Egress> ReadHostSubnet(kube::Transport& transport,
                                                   const std::string& node,
                                                   const std::stop_token& stop);

// ReadEgressIps reads which addresses EgressIP objects have given to the node (OVN-Kubernetes).
judgement::Known<judgement::Egress> ReadEgressIps(kube::Transport& transport,
                                                  const std::string& node,
                                                  const std::stop_token& stop);

// ReadReserved reads what no node may have: the networks of ServiceCIDR objects; of ConfigMap
// kube-system/kubeadm-config those of Services and Pods, controlPlaneEndpoint and the API servers'
// certSANs; the addresses that the API servers advertise (EndpointSlice default/kubernetes), and
// the hosts of `server_urls`, at which we reach them. No node may write any of it. The ConfigMap
// and the EndpointSlice must be there, and the former name a network of Services.
judgement::Known<judgement::Reserved> ReadReserved(kube::Transport& transport,
                                                   const std::vector<std::string>& server_urls,
                                                   const std::stop_token& stop);

// ReadDialRules reads where no kubelet is dialled: in the networks of Services, of ServiceCIDR
// objects and of networks.config.openshift.io/cluster. What the server does not serve, or does not
// let the account read (rights made for upstream's approver), adds no network.
DialRules ReadDialRules(kube::Transport& transport, const std::vector<std::string>& server_urls,
                        const std::stop_token& stop);

// EgressIpsOf picks a node's addresses out of a list of EgressIP objects.
std::vector<std::string> EgressIpsOf(const json::Value& list, const std::string& node);

}  // namespace evidence
