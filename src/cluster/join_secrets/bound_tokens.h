// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens that are bound to a node (node_identities/identities.h).
#pragma once

#include <chrono>
#include <string>

#include "config/types.h"
#include "kube/client.h"
#include "node_identities/identities.h"

namespace join_secrets {

// Creates the token and its binding: the binding first, so that the token never exists without it.
// Its description names the node. Removes the bindings of tokens that are gone, unless they bound
// the addresses of an existing node. Throws base::Error: kInvalid if the cluster does not bind
// tokens, or the node was withdrawn; kAlreadyExists, naming the id, if the token exists; with the
// server's kind otherwise.
void CreateBoundToken(kube::Client& client, config::BootstrapToken token,
                      const node_identities::TokenBinding& binding, std::chrono::sys_seconds now);

// Removes the binding of a deleted token, unless it bounds the addresses of its node. A missing
// permission is ignored: without its token, a binding attests no request.
void RemoveBinding(kube::Client& client, const std::string& token_id);

}  // namespace join_secrets
