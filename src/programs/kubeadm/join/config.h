// SPDX-License-Identifier: Apache-2.0
// Converts the command line of `kubeadm join` to the data of its phases.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/kubeconfig.h"
#include "steps/join/identity.h"
#include "steps/node/data.h"

namespace kubeadm {

// The configuration and further inputs.
struct LoadedJoin {
  config::JoinConfiguration join;
  // The administrator's kubeconfig, if an earlier phase has created it. It is used instead of
  // discovery.
  std::optional<kube::Kubeconfig> given;
  // The proof of this machine's identity (--identity-document).
  std::optional<join_steps::IdentityProof> proof;
};

// Reads --config, or the flags and the endpoint. Throws base::Error: kUsage for an invalid flag or
// combination of flags, kInvalid for an invalid configuration.
LoadedJoin LoadJoinConfig(const cli::Invocation& invocation, host::Host& host);

// Reads the remaining flags.
node_steps::NodeOptions ReadJoinOptions(const cli::Parsed& flags,
                                        const config::JoinConfiguration& join);

}  // namespace kubeadm
