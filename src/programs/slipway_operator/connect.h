// SPDX-License-Identifier: Apache-2.0
// The connection of the operator's programs to their cluster.
#pragma once

#include <memory>
#include <string>

#include "host/host.h"
#include "kube/client.h"

namespace slipway_operator {

// Returns a transport to the cluster of the kubeconfig file `path`. If `path` is "", uses the Pod's
// ServiceAccount. `host` must outlive the transport. Throws base::Error(kInvalid) for an unusable
// kubeconfig, or outside of a Pod if `path` is ""; and the system error's kind if a file cannot be
// read.
std::shared_ptr<kube::Transport> Connect(host::Host& host, const std::string& path);

}  // namespace slipway_operator
