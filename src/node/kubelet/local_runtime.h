// SPDX-License-Identifier: Apache-2.0
// The container runtime that this node's kubelet uses.
#pragma once

#include <optional>
#include <string>

#include "host/host.h"

namespace kubelet {

// Returns the kubelet's socket on this node: from instance-config.yaml, config.yaml or
// kubeadm-flags.env, the first file that has it. Throws base::Error(kInvalid) for an unreadable
// file.
std::optional<std::string> CriSocketOnDisk(const host::Files& files);

// Returns the socket from the node's files. If the files have none, returns the socket of the
// running runtime. Throws base::Error(kInvalid) for an unreadable file, or if several runtimes run.
std::string LocalCriSocket(const host::Host& host);

}  // namespace kubelet
