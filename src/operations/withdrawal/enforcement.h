// SPDX-License-Identifier: Apache-2.0
// The enforcement of a withdrawal by the API servers. Each API server loads a new admission policy
// on its own, a moment after the policy was stored. Until then the node could register again.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "host/host.h"
#include "json/fwd.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace withdrawal {

// Connects to the API server at a URL ("https://10.0.0.1:6443"), with the rights of the node.
using AsNode = std::function<std::shared_ptr<kube::Client>(const std::string& server)>;

// Returns `config` with a current user who impersonates the node. The current cluster accepts only
// servers whose certificate has the name of an API server. Adds neither a user nor a cluster.
kube::Kubeconfig ActingAs(const std::string& node, kube::Kubeconfig config);

// Returns connections by a kubeconfig whose user may impersonate the node. `host` must outlive the
// result. Throws base::Error(kInvalid) if the kubeconfig is unusable.
AsNode ConnectAsNode(host::Host& host, const host::fs::path& kubeconfig, const std::string& node);

// Returns the URLs of the API servers in EndpointSlice default/kubernetes, without those whose
// address is in `except`.
std::vector<std::string> UrlsIn(const json::Value& slice, const std::vector<std::string>& except);

// Succeeds when each API server refuses to create the node's Node because of the withdrawal. The
// requests are dry runs, so nothing is stored. `except` contains the addresses of the withdrawn
// node, whose own API server may be unreachable.
kube::Probe RefusalProbe(std::shared_ptr<kube::Client> client, AsNode as_node, std::string node,
                         std::vector<std::string> except);

}  // namespace withdrawal
