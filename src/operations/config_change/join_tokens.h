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

// Collects the facts from the cluster. Throws the errors of kube::Client.
JoinTokensFacts CollectJoinTokens(kube::Client& client);

// Returns the choice in the argument "nodeBoundTokens.enabled=true". Returns std::nullopt if no
// argument begins with nodeBoundTokens. Throws base::Error(kUsage) for another value. Also throws
// kUsage if there are other arguments, because this choice can only be changed alone.
std::optional<join_secrets::JoinTokens> JoinTokensIn(const std::vector<std::string>& words);

// Returns the choice in a file that has only an ExtensionConfiguration; std::nullopt for other
// files. Throws the errors of config::ReadExtension.
std::optional<join_secrets::JoinTokens> JoinTokensIn(const config::Source& file);

// Returns the operation, which has no steps if no change is needed. If the approver does not become
// available with the inventory, the operation restores the approver's old arguments and changes
// nothing else.
engine::Operation JoinTokensOperation(const JoinTokensFacts& facts, join_secrets::JoinTokens wanted,
                                      const std::shared_ptr<kube::Client>& client);

}  // namespace config_change
