// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens as a table and as objects (reference: output.md §3).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "node_identities/identities.h"

namespace join_secrets {

// Returns the tokens as a table, or "" for an empty list. Computes lifetimes relative to `now`.
std::string TokenTable(const std::vector<config::BootstrapToken>& tokens,
                       std::chrono::sys_seconds now);

// Returns the token as a BootstrapToken of output.kubeadm.k8s.io/v1alpha3. If `binding` is not
// null, adds the member `nodeBinding`, which upstream does not have.
json::Ordered TokenObject(const config::BootstrapToken& token,
                          const node_identities::TokenBinding* binding);

}  // namespace join_secrets
