// SPDX-License-Identifier: Apache-2.0
// The RBAC rules that let a node join with a bootstrap token (KEP-130; reference: phases.md §1.4).
#pragma once

#include <span>
#include <vector>

#include "kube/client.h"
#include "rbac/rbac.h"
#include "releases/releases.h"

namespace tokens {

// BootstrapRule is one step of the rules; each is reported on its own.
enum class BootstrapRule {
  kGetNodes,              // joining nodes see whether their name is taken
  kPostCsrs,              // they ask for a client certificate
  kApproveBootstrapCsrs,  // which is approved
  kApproveRotationCsrs,   // and renewed
  // The API server may use the kubelet's API. Where its certificate names a group it may already.
  kApiServerKubeletClient,
};

// BootstrapRules are those of a release, in order.
std::span<const BootstrapRule> BootstrapRules(const releases::Release& release);

// BootstrapRows are the objects of these rules, and of the one that makes cluster-info public.
std::vector<rbac::RbacRow> BootstrapRows(const releases::Release& release);

// ApplyBootstrapRule creates or updates the rule's objects.
void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule);

// RenewBootstrapRules applies those of the release, with the one by which everybody reads
// cluster-info. A rule that fails does not keep the others from being applied; then throws
// base::Error with all reasons.
void RenewBootstrapRules(kube::Client& client, const releases::Release& release);

}  // namespace tokens
