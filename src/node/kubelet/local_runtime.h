// SPDX-License-Identifier: Apache-2.0
// The container runtime that this node's kubelet uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/host.h"

namespace kubelet {

// CriSocketOnDisk is the socket that the kubelet is told on this node: by instance-config.yaml,
// config.yaml or kubeadm-flags.env, the first that says it. Throws base::Error(kInvalid) for a file
// that cannot be read.
std::optional<std::string> CriSocketOnDisk(const host::Files& files);

// RunningRuntimes are the sockets of config::kKnownCriSockets at which a runtime listens. What one
// that was stopped, or removed, has left there is none.
std::vector<std::string> RunningRuntimes(const host::Network& network);

// LocalCriSocket is what the node's files say; when none says it, that of the runtime that runs.
// Throws base::Error(kInvalid) for a file that cannot be read, and when several run.
std::string LocalCriSocket(const host::Host& host);

}  // namespace kubelet
