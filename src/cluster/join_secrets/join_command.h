// SPDX-License-Identifier: Apache-2.0
// Command lines for joining nodes (reference: output.md §4).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/kubeconfig.h"

namespace join_secrets {

// Placeholder that is printed instead of a secret.
inline constexpr std::string_view kWithheld = "<value withheld>";

// The cluster's address and CA pins for a joining node.
struct JoinTarget {
  std::string endpoint;           // "host:port", as in the kubeconfig
  std::vector<std::string> pins;  // one for each CA certificate
};

// Returns the address and pins of the kubeconfig's cluster (Kubeconfig::PublicCluster). The CA must
// be embedded. Throws base::Error(kInvalid) if the kubeconfig has no such cluster.
JoinTarget JoinTargetOf(const kube::Kubeconfig& config);

// Returns the join command of a worker in two lines. The second line begins with a tab and ends
// with a space.
std::string WorkerJoinCommand(const JoinTarget& target, const std::string& token);

// Returns the join command of a control-plane node: the lines of WorkerJoinCommand and a third
// line. If `certificate_key` is not set, the user must copy the certificates by hand.
std::string ControlPlaneJoinCommand(const JoinTarget& target, const std::string& token,
                                    const std::optional<std::string>& certificate_key);

// Joins a command's lines into one.
std::string OnOneLine(std::string command);

}  // namespace join_secrets
