// SPDX-License-Identifier: Apache-2.0
// The approver's inventory `tokens`: bootstrap tokens that are bound to a node
// (node_identities/identities.h).
#pragma once

#include <vector>

#include "addons/kube_proxy.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace addons {

// Returns the approver's permissions for the inventory, and the record of used tokens.
std::vector<json::Value> ApproverTokenObjects();

// Adds the inventory `tokens` to the arguments of the installed approver, and waits until its new
// Pods are available. Throws base::Error(kNotFound) if init has not installed the approver. Throws
// base::Error(kTimeout), with the progress, if the Pods do not become available in time, for
// example because their program is older than the inventory. Otherwise throws base::Error with the
// server's kind. Throws base::Interrupted on a stop request.
void GiveApproverTokens(kube::Client& client, const RolloutWait& wait);

// Removes the inventory `tokens` from the approver's arguments. Keeps the objects of
// ApproverTokenObjects. Without an installed approver, does nothing. Throws base::Error with
// the server's kind.
void TakeApproverTokens(kube::Client& client);

}  // namespace addons
