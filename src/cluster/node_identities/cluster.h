// SPDX-License-Identifier: Apache-2.0
// Node identities in the cluster: the ConfigMap's reads and writes. Each write changes one key, so
// that concurrent administrators lose nothing. All throw base::Error with the server's kind.
#pragma once

#include <optional>
#include <string>

#include "kube/client.h"
#include "node_identities/identities.h"

namespace node_identities {

// Returns the identities in the ConfigMap. A missing ConfigMap counts as empty. Throws
// base::Error(kInvalid) like ReadIdentities.
Identities FetchIdentities(kube::Client& client);

// Stores whether nodes join with bound tokens only, and creates the ConfigMap if it does not exist.
void StoreOnlyBoundTokens(kube::Client& client, bool only_bound);

// Adds or replaces an entry of the existing ConfigMap.
void StoreBinding(kube::Client& client, const TokenBinding& binding);
// Adds or replaces a withdrawal. Creates the ConfigMap if it does not exist.
void StoreWithdrawal(kube::Client& client, const Withdrawal& withdrawal);

// Removes entries by their keys (KeyOf); absent ones are ignored.
void RemoveEntries(kube::Client& client, const std::vector<std::string>& keys);

}  // namespace node_identities
