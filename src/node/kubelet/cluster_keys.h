// SPDX-License-Identifier: Apache-2.0
// Kubelets that cannot use keys of the cluster.
#pragma once

#include <optional>
#include <string>

#include "kube/client.h"

namespace kubelet {

// Returns why the kubelet of a node cannot connect to an API server with a key of the algorithm
// ("ML-DSA-65"). Returns std::nullopt if it can connect. A kubelet whose `version` ("v1.37.2") is
// not a version is assumed to support the algorithm.
std::optional<std::string> KeyProblem(const std::string& algorithm, const std::string& node,
                                      const std::string& version);

// Returns the problem of the first kubelet of the cluster that cannot connect. Returns std::nullopt
// if all can connect. Throws the errors of kube::Client.
std::optional<std::string> KeyProblem(const std::string& algorithm, kube::Client& client);

}  // namespace kubelet
