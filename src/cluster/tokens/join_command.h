// SPDX-License-Identifier: Apache-2.0
// The command line that makes another machine join (reference: output.md §4).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/kubeconfig.h"

namespace tokens {

// Printed instead of a secret.
inline constexpr std::string_view kWithheld = "<value withheld>";

// The data of the cluster for a joining machine.
struct JoinTarget {
  std::string endpoint;           // "host:port", as in the kubeconfig
  std::vector<std::string> pins;  // one for each CA certificate
};

// Reads the current cluster of a kubeconfig, whose CA must be embedded. Throws
// base::Error(kInvalid) without one.
JoinTarget JoinTargetOf(const kube::Kubeconfig& config);

// Returns two lines; the second begins with a tab and the last ends in a blank.
std::string WorkerJoinCommand(const JoinTarget& target, const std::string& token);

// Adds a third line; without a key the certificates are copied by hand.
std::string ControlPlaneJoinCommand(const JoinTarget& target, const std::string& token,
                                    const std::optional<std::string>& certificate_key);

// Joins a command's lines into one.
std::string OnOneLine(std::string command);

}  // namespace tokens
