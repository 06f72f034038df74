// SPDX-License-Identifier: Apache-2.0
// The flags of `kubeadm token create` that bind a token to a node.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cli/flags.h"
#include "config/types.h"
#include "node_identities/identities.h"

namespace kubeadm {

// Returns --node, --once and --cidr.
std::vector<cli::Flag> BindingFlags();

// Returns the binding of `token`, and adds the token to the group of bound tokens. Returns
// std::nullopt without --node. Throws base::Error(kUsage) for a malformed flag, for --once or
// --cidr without --node, and for --node together with --config or --groups.
std::optional<node_identities::TokenBinding> BindByFlags(const cli::Parsed& flags,
                                                         config::BootstrapToken& token,
                                                         std::chrono::sys_seconds now);

// Checks the flags before a connection to the cluster. Throws the errors of BindByFlags.
void CheckBindingFlags(const cli::Parsed& flags);

}  // namespace kubeadm
