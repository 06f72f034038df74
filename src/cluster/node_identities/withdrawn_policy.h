// SPDX-License-Identifier: Apache-2.0
// The admission policy for withdrawn nodes. A node's certificates stay valid until they expire, and
// kube-controller-manager renews them. So the API server itself must refuse what such a node
// creates (kubernetes.io, "Validating Admission Policy").
#pragma once

#include <string_view>

#include "json/fwd.h"
#include "kube/client.h"

namespace node_identities {

inline constexpr std::string_view kPolicyName = "kubeadm-withdrawn-nodes";

// The message in the API server's answer to a node that the policy refuses.
inline constexpr std::string_view kWithdrawnMessage =
    "the node was withdrawn; 'kubeadm node admit' admits its name again";

// Return the admission policy and its binding. The policy reads the withdrawn nodes in ConfigMap
// kubeadm-node-identities. It refuses new Nodes, Pods, Leases, certificate requests and
// ServiceAccount tokens of these nodes.
json::Value WithdrawnPolicy();
json::Value WithdrawnPolicyBinding();

// Creates the objects, or restores their specification. Throws the errors of kube::Client.
void ApplyWithdrawnPolicy(kube::Client& client);

}  // namespace node_identities
