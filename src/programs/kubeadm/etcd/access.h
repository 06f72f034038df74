// SPDX-License-Identifier: Apache-2.0
// Access to etcd by the flags of the commands below `kubeadm etcd`.
#pragma once

#include <fmt/core.h>

#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "etcd_maintenance/access.h"
#include "host/host.h"

namespace kubeadm {

inline constexpr const char* kEndpointFlag = "endpoint";

// Returns the flag --endpoint.
inline std::vector<cli::Flag> EndpointFlags() {
  return {{.name = kEndpointFlag,
           .type = cli::FlagType::kList,
           .help = "A client URL of etcd, instead of those that this node knows; may be repeated",
           .value_name = "url"}};
}

// Calls etcd_maintenance::Connect with the endpoints of --endpoint. The host must outlive the
// access.
inline etcd_maintenance::Access AccessBy(const cli::Invocation& invocation, host::Host& host) {
  return etcd_maintenance::Connect({.host = host,
                                    .endpoints = invocation.flags.List(kEndpointFlag),
                                    .stop = host.signals.Interrupt()});
}

// Calls the function. If it throws base::Error of kind kUnavailable or kTimeout, adds the flag that
// names another member, and the command for a lost majority.
template <typename Function>
auto WithAdvice(const Function& function) {
  try {
    return function();
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kUnavailable &&
        error.kind() != base::Error::Kind::kTimeout) {
      throw;
    }
    throw base::Error(
        error.kind(),
        fmt::format("{}; if another member serves, name it with --{} https://HOST:2379; if a "
                    "majority of the members is lost: 'kubeadm etcd recover --dry-run'",
                    error.message(), kEndpointFlag));
  }
}

}  // namespace kubeadm
