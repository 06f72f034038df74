// SPDX-License-Identifier: Apache-2.0
// Whether etcd can do without this node's member, for a moment or for good.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "host/host.h"

namespace etcd_membership {

// RestartProblem is why this node's member must not restart now: etcd would lose its majority
// (etcd/quorum.h). Nothing where this node has none, and where none of the members answers, since
// then nothing can be lost. `certificates_dir` is that of etcd's CA and its clients' pairs where
// the manifest names none. Throws base::Error for a pair that cannot be read, kCancelled when
// stopped.
std::optional<std::string> RestartProblem(const host::Files& files,
                                          const host::fs::path& certificates_dir,
                                          const std::stop_token& stop);

// LossProblem is why this node's member must not go with its data while it is a member: the same,
// or that it runs and cannot be asked, be it that it is slow. Nothing where nobody listens on its
// port. Throws kCancelled when stopped.
std::optional<std::string> LossProblem(host::Host& host, const host::fs::path& certificates_dir,
                                       const std::stop_token& stop);

}  // namespace etcd_membership
