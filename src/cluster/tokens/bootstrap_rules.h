// SPDX-License-Identifier: Apache-2.0
// The RBAC rules that let a node join with a bootstrap token (KEP-130; reference: phases.md §1.4).
#pragma once

#include <span>
#include <vector>

#include "kube/client.h"
#include "rbac/rbac.h"
#include "releases/releases.h"

namespace tokens {

// One step of the rules; each is reported on its own.
enum class BootstrapRule {
  kGetNodes,              // joining nodes may check whether their name is taken
  kPostCsrs,              // they may request a client certificate
  kApproveBootstrapCsrs,  // it is approved
  kApproveRotationCsrs,   // its renewal is approved
  // The API server may use the kubelet's API. A group in its certificate may grant that already.
  kApiServerKubeletClient,
};

// Returns those of a release, in order.
std::span<const BootstrapRule> BootstrapRules(const releases::Release& release);

// Returns the objects of these rules, and of the one that makes cluster-info public.
std::vector<rbac::RbacRow> BootstrapRows(const releases::Release& release);

// ApplyBootstrapRule creates or updates the rule's objects.
void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule);

// Applies those of the release, and the rule that makes cluster-info public. A failing rule does
// not block the others; afterwards throws base::Error with all reasons.
void RenewBootstrapRules(kube::Client& client, const releases::Release& release);

}  // namespace tokens
