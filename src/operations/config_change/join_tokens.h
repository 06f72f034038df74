// SPDX-License-Identifier: Apache-2.0
// The choice of the tokens with which nodes join, as an operation of the engine
// (node_identities/identities.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/documents.h"
#include "engine/operation.h"
#include "join_secrets/bootstrap_rules.h"
#include "kube/client.h"

namespace config_change {

// The facts of the plan.
struct JoinTokensFacts {
  join_secrets::JoinTokens now = join_secrets::JoinTokens::kAll;
  bool has_blanket_rule = true;  // node_identities::kBlanketRule exists
};

// Reads the cluster. Throws base::Error with the server's kind.
JoinTokensFacts CollectJoinTokens(kube::Client& client);

// Returns the choice in "nodeBoundTokens.enabled=true"; std::nullopt if no word begins with
// nodeBoundTokens. Throws base::Error(kUsage) for another value, and if there are other words: the
// choice can only be changed alone.
std::optional<join_secrets::JoinTokens> JoinTokensIn(const std::vector<std::string>& words);

// Returns the choice in a file that has only an ExtensionConfiguration; std::nullopt for other
// files. Throws the errors of config::ReadExtension.
std::optional<join_secrets::JoinTokens> JoinTokensIn(const config::Source& file);

// Returns the operation, without steps if nothing is to be done. If the approver does not become
// available with the inventory, it gets its old arguments back, and nothing else changes.
engine::Operation JoinTokensOperation(const JoinTokensFacts& facts, join_secrets::JoinTokens wanted,
                                      const std::shared_ptr<kube::Client>& client);

}  // namespace config_change
