// SPDX-License-Identifier: Apache-2.0
// Checks whether etcd keeps its majority without this node's member, for a moment or permanently.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "config/types.h"
#include "host/host.h"

namespace etcd_membership {

// The inputs of RestartProblem. References must outlive the query.
struct RestartAsked {
  host::Host& host;
  const config::Init& config;
  std::stop_token stop = {};
  // Receives a line while RestartProblem waits for other members; may be empty.
  base::ShowLine say = {};
  // Timeout for the answers of etcd's members; std::nullopt: etcdAPICall of the configuration.
  std::optional<std::chrono::milliseconds> limit = {};
};

// Returns why this node's member must not restart now: etcd would lose its majority
// (etcd/quorum.h), even after other members had time to recover (etcd/comeback.h). Returns
// std::nullopt if this node has no member. Also returns std::nullopt if no member answers, because
// the majority is already lost. Throws the errors of host::Files::Read for an unreadable client
// certificate or key. Throws base::Interrupted after a stop request.
std::optional<std::string> RestartProblem(const RestartAsked& asked);

// Returns why the data of this node's member must not be deleted while it is a member. Either etcd
// would lose its majority, or the member runs but does not answer, possibly because it is slow.
// Returns std::nullopt if no process listens on the member's port. `certificates_dir` is used if
// the manifest does not name etcd's CA and client certificates. Throws base::Interrupted after a
// stop request.
std::optional<std::string> LossProblem(host::Host& host, const host::fs::path& certificates_dir,
                                       const std::stop_token& stop);

}  // namespace etcd_membership
