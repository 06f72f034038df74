// SPDX-License-Identifier: Apache-2.0
// The approver's inventory `tokens`: bootstrap tokens that are bound to a node
// (node_identities/identities.h).
#pragma once

#include <vector>

#include "addons/kube_proxy.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace addons {

// Returns the RBAC objects that the inventory needs, and the ConfigMap that records used tokens.
std::vector<json::Value> ApproverTokenObjects();

// Creates the objects of ApproverTokenObjects, and adds the inventory `tokens` to the arguments of
// the installed approver. Waits until its new Pods are available. Throws base::Error(kNotFound) if
// init has not installed the approver. Throws base::Error(kTimeout), with the progress, if the Pods
// do not become available in time, for example because their program is older than the inventory.
// Also throws the errors of kube::Client. Throws base::Interrupted on a stop request.
void GiveApproverTokens(kube::Client& client, const RolloutWait& wait);

// Removes the inventory `tokens` from the approver's arguments. Keeps the objects of
// ApproverTokenObjects. Without an installed approver, does nothing. Throws the errors of
// kube::Client.
void TakeApproverTokens(kube::Client& client);

}  // namespace addons
