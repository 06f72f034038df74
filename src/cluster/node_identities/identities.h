// SPDX-License-Identifier: Apache-2.0
// Node identities: which bootstrap token may become which node, and which nodes were withdrawn.
//
// They are stored in ConfigMap kube-system/kubeadm-node-identities, which only administrators may
// write. A token's own Secret cannot hold them: it is deleted when the token expires, and other
// kubeadms replace its data.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"
#include "net/cidr.h"

namespace node_identities {

inline constexpr std::string_view kMapName = "kubeadm-node-identities";

// The group of bound tokens. The group has the permissions that joining nodes need.
// kube-controller-manager does not approve its certificate requests, because upstream binds the
// role for this approval to the default group only.
inline constexpr std::string_view kBoundTokenGroup =
    "system:bootstrappers:kubeadm:node-bound-token";

// The key in a user's `extra` attributes that makes the user an identity: its value is the name of
// the user's node. The API server sets it from the credentials of an issuer (kubernetes.io, "Using
// Authentication Configuration"). The user must be in kBoundTokenGroup.
inline constexpr std::string_view kIdentityNodeKey = "identity.slipway/node";
// Optional keys beside it: the time at which the machine was created (RFC 3339), and the addresses
// of the machine. The approver sets them for a machine that has proved itself to its endpoint.
inline constexpr std::string_view kIdentityCreatedKey = "identity.slipway/created";
inline constexpr std::string_view kIdentityAddressesKey = "identity.slipway/addresses";
// The TPM's endorsement key that a machine has proved to hold: EndorsementKeyId.
inline constexpr std::string_view kIdentityEndorsementKey = "identity.slipway/endorsement-key";
// The maximum number of addresses of an identity.
inline constexpr std::size_t kMostIdentityAddresses = 16;

// The user as which the approver requests a certificate for a machine that has proved itself to its
// endpoint. The approver's account may impersonate this user only.
inline constexpr std::string_view kProvenUser = "machine-approver:proven-machine";

// The name of the ClusterRoleBinding with which kube-controller-manager approves the request of any
// token of the default group, for any node name. `kubeadm upgrade` of other builds creates it
// again.
inline constexpr std::string_view kBlanketRule = "kubeadm:node-autoapprove-bootstrap";

// A token that may get the client certificate of one node only.
struct TokenBinding {
  std::string token_id;  // "abcdef"
  std::string node;
  // The token gets certificates for one public key only.
  bool once = false;
  // The networks of the addresses in the node's serving certificates; empty: not bounded.
  std::vector<net::Cidr> cidrs;
  std::chrono::sys_seconds created{};
  bool operator==(const TokenBinding&) const = default;
};

// A node name that gets no certificate until it is admitted again.
struct Withdrawal {
  std::string node;
  std::chrono::sys_seconds since{};
  bool operator==(const Withdrawal&) const = default;
};

// The content of the ConfigMap.
struct Identities {
  // kubeadm does not create the blanket rule: nodes join with bound tokens only.
  bool only_bound_tokens = false;
  std::vector<TokenBinding> bindings;   // ordered by token id
  std::vector<Withdrawal> withdrawals;  // ordered by node

  // Both functions return the entry; nullptr if the token is not bound, or the node is not
  // withdrawn.
  const TokenBinding* FindBinding(std::string_view token_id) const;
  const Withdrawal* FindWithdrawal(std::string_view node) const;
};

// Reads the ConfigMap. Throws base::Error(kInvalid), naming the key, if a key or value is unknown
// or malformed: a misspelt limit must not be ignored.
Identities ReadIdentities(const json::Value& config_map);

// Return the key and the value of one entry.
std::string KeyOf(const TokenBinding& binding);
std::string KeyOf(const Withdrawal& withdrawal);
std::string ValueOf(const TokenBinding& binding);
std::string ValueOf(const Withdrawal& withdrawal);

// Returns a description, for example "bound to node worker-1, once, addresses in 10.0.0.0/24".
std::string Description(const TokenBinding& binding);

}  // namespace node_identities
