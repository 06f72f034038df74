// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens that are bound to a node (node_identities/identities.h).
#pragma once

#include <chrono>
#include <string>

#include "config/types.h"
#include "kube/client.h"
#include "node_identities/identities.h"

namespace join_secrets {

// Creates the binding, and then the token, so that the token never exists without its binding. The
// token's description names the node. Removes bindings whose token no longer exists, unless they
// limit the addresses of an existing node. Throws base::Error(kInvalid) if the cluster does not use
// bound tokens, or the node was withdrawn. Throws base::Error(kAlreadyExists), naming the id, if
// the token exists. Also throws the errors of kube::Client.
void CreateBoundToken(kube::Client& client, config::BootstrapToken token,
                      const node_identities::TokenBinding& binding, std::chrono::sys_seconds now);

// Removes the binding of a deleted token, unless the binding limits the addresses of its node.
// Ignores a missing permission, because a binding without its token approves no request.
void RemoveBinding(kube::Client& client, const std::string& token_id);

}  // namespace join_secrets
