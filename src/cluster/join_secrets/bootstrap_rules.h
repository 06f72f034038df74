// SPDX-License-Identifier: Apache-2.0
// The RBAC rules that let a node join with a bootstrap token (KEP-130; reference: phases.md §1.4).
#pragma once

#include <vector>

#include "kube/client.h"
#include "objects/rbac.h"
#include "releases/releases.h"

namespace join_secrets {

// An RBAC rule. The progress output reports each rule separately.
enum class BootstrapRule {
  // Joining nodes may check whether their name is taken.
  kGetNodes,
  // Joining nodes may request a client certificate.
  kPostCsrs,
  // kube-controller-manager approves the first client certificate of a joining node
  // (node_identities::kBlanketRule).
  kApproveBootstrapCsrs,
  // Nodes with a bound token have the other rights of joining nodes, but kube-controller-manager
  // does not approve their first client certificate.
  kBoundTokens,
  // kube-controller-manager approves the renewal of a node's client certificate.
  kApproveRotationCsrs,
  // Allows the API server to use the kubelet's API. In some releases the groups in the API server's
  // client certificate grant this already.
  kApiServerKubeletClient,
};

// The tokens with which nodes may join. With kBoundOnly, kube-controller-manager approves no first
// certificate of a node. cluster-machine-approver approves the first certificates of nodes with
// bound tokens instead (node_identities/identities.h).
enum class JoinTokens { kAll, kBoundOnly };

// Returns the rules of a release, in the order in which they are applied.
std::vector<BootstrapRule> BootstrapRules(const releases::Release& release, JoinTokens tokens);

// Returns the objects of all rules, and the objects that make cluster-info public.
std::vector<objects::RbacRow> BootstrapRows(const releases::Release& release, JoinTokens tokens);

// Creates or updates the rule's objects. Throws the errors of kube::Client.
void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule);

// Applies all rules of the release, and the rule that makes cluster-info public. With kBoundOnly,
// also removes the blanket rule. If a rule fails, continues with the next one, and throws
// base::Error(kOther) with all reasons at the end.
void RenewBootstrapRules(kube::Client& client, const releases::Release& release, JoinTokens tokens);

// Returns the cluster's stored choice, or kAll if none is stored. Throws the errors of
// node_identities::FetchIdentities.
JoinTokens FetchJoinTokens(kube::Client& client);

// Stores the choice. With kBoundOnly, creates the rules for bound tokens and removes the blanket
// rule. With kAll, creates the blanket rule. Throws the errors of kube::Client.
void ApplyJoinTokens(kube::Client& client, JoinTokens tokens);

}  // namespace join_secrets
