// SPDX-License-Identifier: Apache-2.0
// Flags of the commands below `kubeadm etcd`.
#pragma once

#include <vector>

#include "cli/flags.h"

namespace kubeadm {

inline constexpr const char* kEndpointFlag = "endpoint";

// --endpoint.
inline std::vector<cli::Flag> EndpointFlags() {
  return {{.name = kEndpointFlag,
           .type = cli::FlagType::kList,
           .help = "A client URL of etcd, instead of those that this node knows; may be repeated",
           .value_name = "url"}};
}

}  // namespace kubeadm
