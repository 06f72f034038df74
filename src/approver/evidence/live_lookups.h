// SPDX-License-Identifier: Apache-2.0
// Lookups that ask the cluster.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "evidence/node_bindings.h"
#include "evidence/settle.h"
#include "kube/client.h"

namespace evidence {

// LookupsIn asks the API server of the nodes' cluster for all but the kubelet's certificate, which
// `dial` brings. `server_urls` are those of the API servers; they, `workload` and `bindings`
// outlive what is returned.
Lookups LookupsIn(kube::Transport& workload, const std::vector<std::string>& server_urls,
                  NodeBindings& bindings,
                  std::function<judgement::Dialled(const std::string& node)> dial,
                  const std::stop_token& stop);

}  // namespace evidence
