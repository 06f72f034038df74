// SPDX-License-Identifier: Apache-2.0
// Reads and writes of the ConfigMap with the node identities. Each write changes only the given
// keys, so that concurrent administrators lose no change. All functions throw the errors of
// kube::Client.
#pragma once

#include <optional>
#include <string>

#include "kube/client.h"
#include "node_identities/identities.h"

namespace node_identities {

// Returns the identities in the ConfigMap. A missing ConfigMap counts as empty. Also throws the
// errors of ReadIdentities.
Identities FetchIdentities(kube::Client& client);

// Stores whether nodes join with bound tokens only, and creates the ConfigMap if it does not exist.
void StoreOnlyBoundTokens(kube::Client& client, bool only_bound);

// Adds or replaces a binding. The ConfigMap must exist.
void StoreBinding(kube::Client& client, const TokenBinding& binding);
// Adds or replaces a withdrawal. Creates the ConfigMap if it does not exist.
void StoreWithdrawal(kube::Client& client, const Withdrawal& withdrawal);

// Removes entries by their keys (KeyOf). Absent keys are ignored.
void RemoveEntries(kube::Client& client, const std::vector<std::string>& keys);

}  // namespace node_identities
