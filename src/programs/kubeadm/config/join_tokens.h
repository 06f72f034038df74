// SPDX-License-Identifier: Apache-2.0
// `kubeadm config apply --set nodeBoundTokens.enabled=…`.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Changes the kind of tokens with which nodes join, if the arguments of --set or the file of
// --config request it (config_change::JoinTokensIn). Returns whether they request it. The flags are
// the flags of `config apply`. Throws base::Error(kUsage) with --try, because this change cannot be
// tried.
bool ApplyJoinTokens(const std::vector<std::string>& words, cli::Invocation& invocation,
                     host::Host& host);

}  // namespace kubeadm
