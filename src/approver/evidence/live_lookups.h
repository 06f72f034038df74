// SPDX-License-Identifier: Apache-2.0
// Lookups in the live cluster.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "evidence/node_bindings.h"
#include "evidence/settle.h"
#include "kube/client.h"

namespace evidence {

// Returns lookups that query the API server of the nodes' cluster, and that call `dial` for the
// kubelet's certificate. `server_urls` are the URLs of the API servers. `server_urls`, `workload`
// and `bindings` must outlive the result.
Lookups LookupsIn(kube::Transport& workload, const std::vector<std::string>& server_urls,
                  NodeBindings& bindings,
                  std::function<judgement::Dialled(const std::string& node)> dial,
                  const std::stop_token& stop);

}  // namespace evidence
