// SPDX-License-Identifier: Apache-2.0
// `kubeadm config apply --set nodeBoundTokens.enabled=…`.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Changes the tokens with which nodes join, and returns true, if the words of --set or the file of
// --config say so (config_change::JoinTokensIn). The flags are those of `config apply`. Throws
// base::Error(kUsage) with --try: such a change has no trial.
bool ApplyJoinTokens(const std::vector<std::string>& words, cli::Invocation& invocation,
                     host::Host& host);

}  // namespace kubeadm
