// SPDX-License-Identifier: Apache-2.0
// The algorithm of new keys, and the programs that must be able to use them.
#pragma once

#include <optional>
#include <string>

#include "kube/client.h"

namespace config_change {

// Returns a text naming a node whose kubelet cannot connect to an API server with a key of the
// algorithm ("ML-DSA-65"). Returns std::nullopt if all kubelets can connect. A kubelet of unknown
// version is assumed to support the algorithm.
std::optional<std::string> KeyAlgorithmProblem(const std::string& algorithm, kube::Client& client);

}  // namespace config_change
