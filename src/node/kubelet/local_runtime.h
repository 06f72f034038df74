// SPDX-License-Identifier: Apache-2.0
// The container runtime that this node's kubelet uses.
#pragma once

#include <optional>
#include <string>

#include "host/host.h"

namespace kubelet {

// CriSocketOnDisk is the socket that the kubelet is told on this node: by instance-config.yaml,
// config.yaml or kubeadm-flags.env, the first that says it. Throws base::Error(kInvalid) for a file
// that cannot be read.
std::optional<std::string> CriSocketOnDisk(const host::Files& files);

// LocalCriSocket is that; when no file says it, the one that exists. Throws
// base::Error(kInvalid) for a file that cannot be read, and when there are several sockets.
std::string LocalCriSocket(const host::Host& host);

}  // namespace kubelet
