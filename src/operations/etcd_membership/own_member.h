// SPDX-License-Identifier: Apache-2.0
// Whether etcd can do without this node's member, for a moment or for good.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "config/types.h"
#include "host/host.h"

namespace etcd_membership {

// RestartAsked is the node of a restart. References outlive the question.
struct RestartAsked {
  host::Host& host;
  const config::Init& config;
  std::stop_token stop = {};
  base::ShowLine say = {};  // gets a line while others are waited for; may be empty
  // For etcd's members to answer; nothing: etcdAPICall of the configuration.
  std::optional<std::chrono::milliseconds> limit = {};
};

// RestartProblem is why this node's member must not restart now: etcd would lose its majority
// (etcd/quorum.h), even after others had time to come back (etcd/comeback.h). Nothing where this
// node has none, and where none of the members answers, since then nothing can be lost. Throws
// base::Error for a pair that cannot be read, kCancelled when stopped.
std::optional<std::string> RestartProblem(const RestartAsked& asked);

// LossProblem is why this node's member must not go with its data while it is a member: etcd would
// lose its majority, or it runs and cannot be asked, be it that it is slow. Nothing where nobody
// listens on its port. `certificates_dir` is that of etcd's CA and its clients' pairs where the
// manifest names none. Throws kCancelled when stopped.
std::optional<std::string> LossProblem(host::Host& host, const host::fs::path& certificates_dir,
                                       const std::stop_token& stop);

}  // namespace etcd_membership
