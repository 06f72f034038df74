// SPDX-License-Identifier: Apache-2.0
// The inventory of bootstrap tokens that are bound to a node (node_identities/identities.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inventories/options.h"
#include "inventories/sink.h"
#include "json/value.h"
#include "judgement/facts.h"
#include "judgement/machines.h"
#include "node_identities/identities.h"

namespace inventories {

// Returns a binding as an entry. The entry attests only the node's first client certificate, and
// only for the token's owner. It also limits the addresses in the node's serving certificates.
judgement::Machine EntryOfToken(const node_identities::TokenBinding& binding);

// Returns an entry for a withdrawn node. While it exists, no certificate of the node is approved.
judgement::Machine EntryOfWithdrawal(const node_identities::Withdrawal& withdrawal);

// Returns all entries of the ConfigMap. Throws the errors of node_identities::ReadIdentities.
std::vector<judgement::Machine> IdentityEntries(const json::Value& config_map);

// Returns whether two entries of IdentityEntries are equal.
bool SameIdentity(const judgement::Machine& a, const judgement::Machine& b);

// Returns the ConfigMap of the bindings.
ConfigMapRef IdentitiesMap();

// Keeps the bindings and withdrawn nodes of the ConfigMap in the sink. No request is approved
// before the ConfigMap is read, or while it is malformed, because it may limit what other
// inventories attest. Not thread-safe.
class TokenBindings {
 public:
  // `sink` must outlive it.
  explicit TokenBindings(Sink& sink);

  // Replaces the previous entries.
  void Take(const json::Value& config_map);
  // Removes all entries, because the ConfigMap does not exist.
  void TakeNone();

 private:
  void SetProblem(const std::optional<std::string>& problem);
  void Replace(const std::vector<judgement::Machine>& entries);

  Sink& sink_;
  std::map<judgement::MachineKey, judgement::Machine> entries_;  // in the sink
};

}  // namespace inventories
